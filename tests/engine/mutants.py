#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Show that the property tests can fail: break the engine, one way at a time.

usage: mutants.py ENGINE.c BUILDDIR CC ARG... (compiler and arguments that build
the property test; the engine's file is added)

Each mutant replaces one piece of the engine's text, which must stand there
exactly once. A mutant is caught when the property test fails, crashes or does
not end; the mutant that changes nothing must pass.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap

# name, text, replacement
MUTANTS = [
    ('nothing changed', '', ''),
    ('everybody is eligible',
     '	if (!before(t->vtime, e->start))\n		return e;\n',
     '	return e;\n'),
    ('the descent prefers the larger finish',
     ('		if (left && !before(t->vtime, entity_at(left)->min_start))\n'
     '			e = entity_at(left);\n'
     '		else if (before(t->vtime, e->start))\n'
     '			e = entity_at(e->node.rb_right);\n'
     '		else\n			return e;\n'),
     ('		if (e->node.rb_right && !before(t->vtime, '
     'entity_at(e->node.rb_right)->min_start))\n'
     '			e = entity_at(e->node.rb_right);\n'
     '		else if (before(t->vtime, e->start))\n'
     '			e = entity_at(left);\n'
     '		else\n			return e;\n')),
    ('the tree is ordered by start',
     'if (before(e->finish, at->finish)) {', 'if (before(e->start, at->start)) {'),
    ('order breaks at the wrap',
     'return (s64)(a - b) < 0;', 'return a < b;'),
    ('order breaks where the sign changes',
     'return (s64)(a - b) < 0;', 'return (s64)a < (s64)b;'),
    ('no back-shift: who stops early pays all its budget',
     '			wait_from_start(e);\n		} else {\n',
     '			e->start = e->finish;\n			wait_from_start(e);\n		} else {\n'),
    ('service does not move the start',
     'if (likely(e->state == WF2Q_SERVING)) {\n		e->start += step;\n',
     'if (likely(e->state == WF2Q_SERVING)) {\n		e->start += step / 2;\n'),
    ('virtual time goes twice as fast',
     'u64 work = (sectors << WF2Q_SHIFT) + t->carry;',
     'u64 work = (sectors << (WF2Q_SHIFT + 1)) + t->carry;'),
    ('virtual time goes a tenth slower',
     'u64 work = (sectors << WF2Q_SHIFT) + t->carry;',
     'u64 work = (sectors << WF2Q_SHIFT) * 9 / 10 + t->carry;'),
    ('virtual time loses what a division leaves over',
     'u64 work = (sectors << WF2Q_SHIFT) + t->carry;',
     'u64 work = (sectors << WF2Q_SHIFT);'),
    ('virtual time passes the remembered in one step',
     'if (!e || before(t->vtime + step, e->finish)) {', 'if (1) {'),
    ('virtual time stands still for who is alone',
     't->vtime += step;	/* it is alone */', ';'),
    ('virtual time jumps too far',
     'jump_to(t, e->min_start);', 'jump_to(t, e->min_start + (1ULL << 40));'),
    ('a jump leaves the remembered counted',
     'while ((e = first_idle(t)) && !before(vtime, e->finish))', 'while (0)'),
    ('the finish of who lags moves earlier',
     '	    !(before(finish, e->finish) && before(e->start, t->vtime))) {',
     '	    1) {'),
    ('a larger budget does not show',
     'if (finish != e->finish &&', 'if (0 &&'),
    ('nobody is remembered',
     'if (!before(t->vtime, e->start)) {\n		uncount', 'if (1) {\n		uncount'),
    ('who comes back starts at V',
     ('		rb_erase_cached(&e->node, &t->idle);\n	} else {\n'
     '		t->wsum += e->weight;\n		e->start = t->vtime;\n	}\n	wait'),
     ('		rb_erase_cached(&e->node, &t->idle);\n		e->start = t->vtime;\n'
     '	} else {\n'
     '		t->wsum += e->weight;\n		e->start = t->vtime;\n	}\n	wait')),
    ('who comes back starts where it was',
     '		t->wsum += e->weight;\n		e->start = t->vtime;\n	}\n	wait',
     '		t->wsum += e->weight;\n	}\n	wait'),
    ('a new weight forgets the lag',
     '	adopt_weight(e);\n	t->wsum += (u64)e->weight - old;\n',
     ('	adopt_weight(e);\n	t->wsum += (u64)e->weight - old;\n'
     '	e->start = t->vtime;\n')),
    ('a new weight keeps the start',
     '							  old, e->weight);\n	else\n',
     '							  1, 1);\n	else\n'),
    ('a new weight is not counted',
     '	t->wsum += (u64)e->weight - old;\n', ''),
    ('a raised weight keeps the old start of who lags',
     '		e->start = t->vtime;\n	}\n	erase_waiting(e);\n	reweigh',
     '	}\n	erase_waiting(e);\n	reweigh'),
    ('a lowered weight counts at once',
     '		if (!before(finish, e->finish))\n			return;\n', ''),
    ('changes do not go up',
     'if (!follow_next(e, g->next) && !always)', 'if (follow_next(e, g->next), 1)'),
    ('a group keeps its first budget',
     'return retime(e, wf2q_remaining(next), 0);', 'return false;'),
    ('a group asks for nothing when it waits again',
     '			e->budget = wf2q_remaining(g->next);\n			e->service = 0;\n		}\n',
     '			e->budget = 0;\n			e->service = 0;\n		}\n'),
    ('only the lowest level is charged',
     'for (e = leaf; e->parent; e = &e->parent->entity)\n		serve',
     'for (e = leaf; e == leaf; e = &e->parent->entity)\n		serve'),
    ('backlogged leaves are counted in one group only',
     'for (; g; g = g->entity.parent)\n		g->nr_busy',
     'if (g)\n		g->nr_busy'),
    ('the choice is not renewed after charges out of turn',
     '		settle(leaf->parent, true);', '		;'),
    ('the smallest start is not kept on the way down',
     '		if (before(e->start, at->min_start))\n			at->min_start = e->start;\n',
     ''),
    ('the smallest start forgets a side',
     'for (i = 0; i < 2; i++)', 'for (i = 0; i < 1; i++)'),
    ('IDLE waits for ever',
     '	    g->idle_due >= (u64)WF2Q_IDLE_PACE * wf2q_remaining(idle))', '	    0)'),
    ('IDLE gets twice its share',
     '	    g->idle_due >= (u64)WF2Q_IDLE_PACE * wf2q_remaining(idle))',
     '	    g->idle_due >= (u64)WF2Q_IDLE_PACE * wf2q_remaining(idle) / 2)'),
    ('IDLE does not pay',
     'g->idle_due -= min(g->idle_due, (u64)WF2Q_IDLE_PACE * sectors);',
     'g->idle_due -= 0;'),
    ('RT waits for BE',
     '	if (unlikely(tree_waits(g, WF2Q_RT)))\n', '	if (!tree_waits(g, WF2Q_BE))\n'),
    ('the sole to wait keeps virtual time waiting',
     '		jump_to(tree_of(sole), sole->start);\n', '		;\n'),
    ('the sole to wait stays apart when another comes',
     '		insert_ordered(tree_of(g->sole), g->sole);\n', ''),
    ('a class changes without a change of trees',
     '	part(leaf);\n	leaf->class = class;\n', '	leaf->class = class;\n'),
    ('an exit leaves the idle tree as it was',
     '		wf2q_deactivate(e);\n	}\n	part(e);\n', '		wf2q_deactivate(e);\n	}\n'),
    ('a removed group keeps its children',
     ('			while ((child = first_idle(&g->tree[class])))\n'
     '				forget(&g->tree[class], child);\n'),
     '			child = NULL;\n'),
]


def caught(binary):
    """How the property test failed, or None if it passed."""
    try:
        done = subprocess.run([binary], capture_output=True, text=True,
                              timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return 'does not end'
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f'crashes with signal {-done.returncode}'
    tests = [line.split()[5].rstrip(':') for line in done.stdout.splitlines()
             if line.startswith('not ok')]
    return 'fails ' + ' '.join(tests)


def main():
    if len(sys.argv) < 4 or sys.argv[1] in ('-h', '--help'):
        print(__doc__)
        return 0 if len(sys.argv) > 1 else 2
    source, build, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(source, encoding='utf-8') as file:
        text = file.read()
    for number, (name, old, new) in enumerate(MUTANTS, 1):
        print(f'# mutant {number} of {len(MUTANTS)}', file=sys.stderr, flush=True)
        if old and text.count(old) != 1:
            sys.exit(f'mutants.py: "{name}": its text stands {text.count(old)} '
                     f'times in {source}, expected 1: bring the table up to date')
        mutant = os.path.join(build, 'mutant.c')
        binary = os.path.join(build, 'mutant')
        with open(mutant, 'w', encoding='utf-8') as file:
            file.write(text.replace(old, new) if old else text)
        subprocess.run([*command, '-w', '-o', binary, mutant], check=True)
        how = caught(binary)
        good = how is None if not old else how is not None
        tap.result(good, f'engine mutant: {name}: {how or "passes"}')
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
