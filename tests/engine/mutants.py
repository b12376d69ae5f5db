#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Show that the property tests can fail: break the engine, one way at a time.

usage: mutants.py ENGINE.[ch]... BUILDDIR -- CC ARG... (compiler and arguments that build
the property test; the engine's files are added)

Each mutant replaces one piece of the engine's text, which must stand there
exactly once in all files. A mutant is caught when the property test fails, crashes or does
not end; the mutant that changes nothing must pass. The first test that fails is named, the
rest is not run.
"""
import os
import resource
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap

# name, text, replacement
MUTANTS = [
    ('nothing changed', '', ''),
    ('everybody is eligible',
     '	if (!wf2q_before(vtime, e->start))\n		return e;\n',
     '	return e;\n'),
    ('the descent prefers the larger finish',
     ('		if (left && !wf2q_before(vtime, wf2q_entity_at(left)->min_start))\n'
     '			e = wf2q_entity_at(left);\n'
     '		else if (wf2q_before(vtime, e->start))\n'
     '			e = wf2q_entity_at(e->node.rb_right);\n'
     '		else\n			return e;\n'),
     ('		if (e->node.rb_right && !wf2q_before(vtime, '
     'wf2q_entity_at(e->node.rb_right)->min_start))\n'
     '			e = wf2q_entity_at(e->node.rb_right);\n'
     '		else if (wf2q_before(vtime, e->start))\n'
     '			e = wf2q_entity_at(left);\n'
     '		else\n			return e;\n')),
    ('the tree is ordered by start',
     'if (wf2q_before(e->finish, at->finish)) {', 'if (wf2q_before(e->start, at->start)) {'),
    ('order breaks at the wrap',
     'return (s64)(a - b) < 0;', 'return a < b;'),
    ('order breaks where the sign changes',
     'return (s64)(a - b) < 0;', 'return (s64)a < (s64)b;'),
    ('no back-shift: who stops early pays all its budget',
     '		else if (again)\n			wf2q_wait_from_start(e);\n',
     '		else if (again)\n			e->start = e->finish, wf2q_wait_from_start(e);\n'),
    ('who was charged beyond its allotment goes before a higher class',
     'max(wf2q_remaining(first), 1U)', 'wf2q_remaining(first)'),
    ('service does not move the start',
     '	e->start += step;\n	if (t->wsum == e->weight)',
     '	e->start += step / 2;\n	if (t->wsum == e->weight)'),
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
     'if (!e || wf2q_before(t->vtime + step, e->finish)) {', 'if (1) {'),
    ('virtual time stands still for who is alone',
     't->vtime += step;	/* it is alone */', ';'),
    ('virtual time jumps too far',
     'wf2q_jump_to(t, vtime);', 'wf2q_jump_to(t, vtime + (1ULL << 40));'),
    ('a jump leaves the remembered counted',
     'while ((e = wf2q_first_idle(t)) && !wf2q_before(vtime, e->finish))', 'while (0)'),
    ('the finish of who lags moves earlier',
     '	    !(wf2q_before(finish, e->finish) && wf2q_before(e->start, t->vtime))) {',
     '	    1) {'),
    ('a larger budget does not show',
     'if (finish != e->finish &&', 'if (0 &&'),
    ('nobody is remembered',
     '	if (wf2q_before(t->vtime, e->start))\n		wf2q_remember', '	if (0)\n		wf2q_remember'),
    ('who comes back starts at V',
     '		rb_erase_cached(&e->node, &t->idle);\n	else if',
     '		rb_erase_cached(&e->node, &t->idle), e->start = t->vtime;\n	else if'),
    ('who comes back starts where it was',
     '	t->wsum += e->weight;\n	e->start = t->vtime;\n', '	t->wsum += e->weight;\n'),
    ('a group that was idle when another returned has not had its part',
     '		e->start = t->vtime + by;\n', '		e->start = t->vtime;\n		by = 0;\n'),
    ('a group that was idle when another returned may be ahead by anything',
     'by = min(e->start - t->vtime, most);', 'by = e->start - t->vtime;'),
    ('virtual time stays where it is when such a group comes',
     '		wf2q_go_to(t, t->vtime + div64_u64(by * e->weight, t->wsum));\n', ''),
    ('a small group has the credit of the whole',
     'wf2q_credit_of(e) << WF2Q_SHIFT', '(u64)e->parent->root->credit << WF2Q_SHIFT'),
    ('who has never been here seems far ahead',
     'return e->state == WF2Q_OUT && !wf2q_before(e->start, vtime) ? vtime : e->start;', 'return e->start;'),
    ('a group that returns has given its lag up',
     'by = min(t->vtime - e->start, most);', 'by = 0;'),
    ('a group returns with more than its credit',
     'by = min(t->vtime - e->start, most);', 'by = t->vtime - e->start;'),
    ('each group has all of the credit',
     'most = div64_u64(wf2q_credit_of(e) << WF2Q_SHIFT, t->wsum);',
     'most = wf2q_credit_of(e) * e->inverse;'),
    ('virtual time does not go back when a group returns',
     '		t->vtime -= div64_u64(by * e->weight + t->wsum - 1, t->wsum);\n', ''),
    ('virtual time goes back by all that a group is behind',
     '		t->vtime -= div64_u64(by * e->weight + t->wsum - 1, t->wsum);\n', '		t->vtime -= by;\n'),
    ('leaves return with a lag, too',
     'if (e->is_group && e->parent->root->credit)', 'if (e->parent->root->credit)'),
    ('a new group is due what others had before',
     '		g->entity.start = READ_ONCE(parent->tree[WF2Q_BE].vtime);\n',
     '		g->entity.start = parent->tree[WF2Q_BE].vtime - (1ULL << 50);\n'),
    ('a new weight forgets the lag',
     '	wf2q_adopt_weight(e);\n	t->wsum += (u64)e->weight - old;\n',
     ('	wf2q_adopt_weight(e);\n	t->wsum += (u64)e->weight - old;\n'
     '	e->start = t->vtime;\n')),
    ('a new weight keeps the start',
     't->vtime - e->start, old, e->weight);\n', 't->vtime - e->start, 1, 1);\n'),
    ('a new weight is not counted',
     '	t->wsum += (u64)e->weight - old;\n', ''),
    ('a raised weight keeps the old start of who lags',
     '		e->start = t->vtime;\n	}\n	wf2q_erase_waiting(e);\n	wf2q_reweigh',
     '	}\n	wf2q_erase_waiting(e);\n	wf2q_reweigh'),
    ('a lowered weight counts at once',
     '			e->changed = true;\n			return;\n', ''),
    ('a lowered weight never counts',
     '			e->changed = true;\n			return;\n', '			return;\n'),
    ('changes do not go up',
     'if (!wf2q_follow_next(e, g->next) && !always)', 'if (wf2q_follow_next(e, g->next), 1)'),
    ('a group keeps its first budget',
     'return wf2q_retime(e, wf2q_remaining(next), 0);', 'return false;'),
    ('a group asks for nothing when it waits again',
     '			e->budget = wf2q_remaining(g->next);\n			e->service = 0;\n		}\n',
     '			e->budget = 0;\n			e->service = 0;\n		}\n'),
    ('only the lowest level is charged',
     'for (e = leaf; e->parent; e = &e->parent->entity)\n		wf2q_serve',
     'for (e = leaf; e == leaf; e = &e->parent->entity)\n		wf2q_serve'),
    ('backlogged leaves are counted in one group only',
     '	for (; g; g = g->entity.parent)\n		g->nr_backlogged', '	g->nr_backlogged'),
    ('who passes leaves no trace', 'if (likely(!wf2q_leaves_trace(leaf)))', 'if (1)'),
    ('who is counted is no trace', '	e->parent->root->nr_traces++;\n', ''),
    ('who is not counted any more is still a trace', '	e->parent->root->nr_traces--;\n', ''),
    ('what is owed is no trace', '	g->root->nr_traces += !!sectors - !!g->owed[class];\n', ''),
    ('who passes leaves no trace above its group',
     '	for (; e->parent; e = &e->parent->entity)\n		if (wf2q_tree_of(e)->wsum ||',
     '	for (; 1; )\n		return wf2q_tree_of(e)->wsum;\n'
     '	for (; e->parent; e = &e->parent->entity)\n		if (wf2q_tree_of(e)->wsum ||'),
    ('who passes is not told from its class',
     '(unlikely(e->parent->mixed) && wf2q_any_owed(e->parent, e->class))', '0'),
    ('the choice is not renewed after charges out of turn',
     '	if (unlikely(leaf->state != WF2Q_SERVING))\n		wf2q_settle(leaf->parent, true);', ''),
    ('the smallest start is not kept on the way down',
     '		if (wf2q_before(e->start, at->min_start))\n			at->min_start = e->start;\n',
     ''),
    ('the smallest start forgets a side',
     'for (i = 0; i < 2; i++)', 'for (i = 0; i < 1; i++)'),
    ('BE starves beside RT',
     'if (!first || g->owed[class] <',
     'if (!first || (class == WF2Q_RT && first->class == WF2Q_BE) || g->owed[class] <'),
    ('lower classes wait for ever',
     'if (!first || g->owed[class] <', 'if (1 || g->owed[class] <'),
    ('lower classes get twice their share',
     '(u64)WF2Q_THIN_PACE * max(wf2q_remaining(first), 1U))',
     '(u64)WF2Q_THIN_PACE * max(wf2q_remaining(first), 1U) / 2)'),
    ('lower classes do not pay',
     'wf2q_owe(g, above, g->owed[above] - min(g->owed[above], paid));', ';'),
    ('IDLE pays RT only',
     'for (above = 0; above < class; above++)\n		wf2q_owe',
     'for (above = 0; above < class && above < 1; above++)\n		wf2q_owe'),
    ('IDLE pays BE only',
     'for (above = 0; above < class; above++)\n		wf2q_owe',
     'for (above = class ? class - 1 : 0; above < class; above++)\n		wf2q_owe'),
    ('a class owes though nobody waits',
     'if (wf2q_waits_below(g, class))\n		wf2q_owe', 'if (class < WF2Q_IDLE)\n		wf2q_owe'),
    ('RT does not see IDLE wait',
     'while (++class < WF2Q_CLASSES)', 'if (++class < WF2Q_CLASSES)'),
    ('a thin share can be saved up',
     'wf2q_owe(g, class, min(g->owed[class], most));', ';'),
    ('a thin share is cut while it is used',
     '!wf2q_waits_below(g, class) && !(g->in_service && g->in_service->class > class))',
     '!wf2q_waits_below(g, class))'),
    ('lower classes go first',
     'for (class = WF2Q_IDLE; class >= WF2Q_RT; class--)',
     'for (class = WF2Q_RT; class <= WF2Q_IDLE; class++)'),
    ('a group does not notice its classes', 'g->mixed = true;', ';'),
    ('an idle leaf that is charged does not show its class',
     'g->mixed |= e->class != WF2Q_BE;', ';'),
    ('the second choice moves virtual time', 'if (jump)\n', 'if (1)\n'),
    ('the second choice comes from the root',
     '		if (g->nr_waiting)\n			inner = g;\n',
     '		if (g->nr_waiting && !inner)\n			inner = g;\n'),
    ('the second choice comes from the innermost group only',
     '		if (g->nr_waiting)\n			inner = g;\n',
     '		inner = g->nr_waiting ? g : NULL;\n'),
    ('the second choice must be eligible', '		vtime = e->min_start;\n', ''),
    ('the second choice is always BE',
     'wf2q_choose_among(inner, false);',
     'wf2q_choose_in(&inner->tree[WF2Q_BE], false);'),
    ('the sole to wait keeps virtual time waiting',
     '		wf2q_jump_to(wf2q_tree_of(sole), sole->start);\n', '		;\n'),
    ('the sole to wait stays apart when another comes',
     '		wf2q_insert_ordered(wf2q_tree_of(g->sole), g->sole);\n', ''),
    ('a class changes without a change of trees',
     '		wf2q_change_class(leaf);\n', '		leaf->class = class;\n'),
    ('a new class keeps the old weight',
     '	e->class = e->new_class;\n	wf2q_adopt_weight(e);\n', '	e->class = e->new_class;\n'),
    ('a new class keeps the old weight counted',
     '	if (e->state != WF2Q_OUT)\n		wf2q_uncount(wf2q_tree_of(e), e);\n', ''),
    ('a new class waits for the next turn of who waits',
     '	if (leaf->state == WF2Q_SERVING) {\n		leaf->changed = true;\n		return;',
     '	if (leaf->state >= WF2Q_WAITING) {\n		leaf->changed = true;\n		return;'),
    ('a new class in service is forgotten', '		leaf->changed = true;\n		return;', '		return;'),
    ('a leaf outranks by its own class',
     'return e->class - e->parent->in', 'return leaf->class - e->parent->in'),
    ('a leaf outranks its equals',
     'wf2q_classes_below(leaf) < 0', 'wf2q_classes_below(leaf) <= 0'),
    ('a lower class is an equal that waits',
     'return inner->sole->class <= inner->in_service->class;', 'return true;'),
    ('an equal beside others is overlooked',
     'for (class = inner->in_service->class; class >= WF2Q_RT; class--)',
     'for (class = inner->in_service->class - 1; class >= WF2Q_RT; class--)'),
    ('a leaf is outranked by its equals',
     'wf2q_classes_below(leaf) > 0', 'wf2q_classes_below(leaf) >= 0'),
    ('idle leaves outrank',
     'for (e = leaf; e->state == WF2Q_WAITING; e = &e->parent->entity)\n		if',
     'for (e = leaf; e->parent; e = &e->parent->entity)\n		if'),
    ('who precedes need not be eligible',
     'return !wf2q_before(wf2q_tree_of(e)->vtime, e->start) &&', 'return'),
    ('who precedes finishes later',
     'wf2q_before(e->finish, served->finish)', 'wf2q_before(served->finish, e->finish)'),
    ('who precedes may finish as late',
     'wf2q_before(e->finish, served->finish)', '!wf2q_before(served->finish, e->finish)'),
    ('who precedes may be of a lower class',
     '		if (e->class != served->class)\n			return e->class < served->class;\n', ''),
    ('no class precedes another',
     '			return e->class < served->class;\n', '			return false;\n'),
    ('a leaf precedes by its own finish',
     'wf2q_before(e->finish, served->finish)', 'wf2q_before(leaf->finish, served->finish)'),
    ('idle leaves precede',
     '	for (e = leaf; e->state == WF2Q_WAITING; e = &e->parent->entity) {\n		served',
     '	for (e = leaf; e->parent; e = &e->parent->entity) {\n		served'),
    ('only the leaf itself leads',
     'if (!wf2q_before(e->start, wf2q_tree_of(e)->vtime + sectors',
     'if (e == leaf && !wf2q_before(e->start, wf2q_tree_of(e)->vtime + sectors'),
    ('who leads leads by anything', 'wf2q_tree_of(e)->vtime + sectors * e->inverse))\n',
     'wf2q_tree_of(e)->vtime))\n'),
    ('whoever is of a lower class had less',
     'return a->class < b->class;\n	return wf2q_before', 'return a->class > b->class;\n	return wf2q_before'),
    ('who had less started later',
     'return a->class < b->class;\n	return wf2q_before(wf2q_got_to(a), wf2q_got_to(b))',
     'return a->class < b->class;\n	return wf2q_before(wf2q_got_to(b), wf2q_got_to(a))'),
    ('who is of a higher class goes after others',
     'return a->class < b->class;\n	eligible', 'return a->class > b->class;\n	eligible'),
    ('who is not eligible goes before who is', '		return eligible;\n', '		return !eligible;\n'),
    ('of those who are not eligible the last goes first',
     '		return wf2q_before(wf2q_got_to(a), wf2q_got_to(b));\n	return wf2q_before(wf2q_ends',
     '		return wf2q_before(wf2q_got_to(b), wf2q_got_to(a));\n	return wf2q_before(wf2q_ends'),
    ('of those who are eligible the last goes first', 'wf2q_before(wf2q_ends_at(a), wf2q_ends_at(b))',
     'wf2q_before(wf2q_ends_at(b), wf2q_ends_at(a))'),
    ('who is idle is expected to need nothing',
     'return wf2q_got_to(e) + min(e->service, WF2Q_MAX_BUDGET) * e->inverse;', 'return wf2q_got_to(e);'),
    ('who stands in line gives up its lag', '	else\n		wf2q_not_ahead(t, e);\n', '	else\n		wf2q_uncount(t, e);\n'),
    ('who stands in line starts anew', '	else\n		wf2q_rouse(t, e);\n', '	else\n		wf2q_rouse(t, e), e->start = t->vtime;\n'),
    ('who stands in line has no credit that ends', '		e->start = least;\n		wf2q_go_to', '		wf2q_go_to'),
    ('what one gives up nobody has', '		wf2q_go_to(t, t->vtime + mul_u64_u64_div_u64(by, e->weight, t->wsum));\n', ''),
    ('V passes who stands in line, and forgets it', '	wf2q_not_ahead(t, e);\n}\n\nstatic void wf2q_remember',
     '	wf2q_uncount(t, e);\n}\n\nstatic void wf2q_remember'),
    ('who is in service beside others is due all that these get',
     '	if (served && served->class == e->class)\n', '	if (0)\n'),
    ('where its allotment ends is not reckoned anew then',
     '		e->finish = wf2q_finish_of(e);\n	}\n}\n\n/* Idle -> waiting', '	}\n}\n\n/* Idle -> waiting'),
    ('who is charged out of turn is ahead', '		wf2q_rest(t, e);\n	}\n	wf2q_advance',
     '		wf2q_remember(t, e);\n	}\n	wf2q_advance'),
    ('who is charged out of turn makes room for others no sooner than after it',
     '		wf2q_rest(t, e);\n	}\n	wf2q_advance(t, sectors);\n',
     '	}\n	wf2q_advance(t, sectors);\n	if (e->state != WF2Q_WAITING)\n		wf2q_rest(t, e);\n'),
    ('only the leaf stands in line', '	for (e = leaf; e->parent && !e->stands; e = &e->parent->entity) {\n',
     '	for (e = leaf; e == leaf && !e->stands; e = &e->parent->entity) {\n'),
    ('a group stands in line until nobody does', '		if (--e->parent->nr_standing)\n			break;\n',
     '		--e->parent->nr_standing;\n		break;\n'),
    ('V jumps past who is due', '	while (!t->nr_due) {\n', '	for (;;) {\n'),
    ('V jumps past who stands in line ahead', 'if (!e || !wf2q_before(e->finish, vtime)) {', 'if (1) {'),
    ('V jumps never while somebody stands in line',
     'if (!e || !wf2q_before(e->finish, vtime)) {', 'if (!e || !e->stands) {'),
    ('V jumps no more when nobody stands in line', '	wf2q_settle(leaf->parent, true);	/* V may jump again */\n', ''),
    ('who leaves for another group stands in line there no more', '	if (stands)\n		wf2q_stand(leaf);\n', ''),
    ('who exits still stands in line', '		wf2q_unstand(e);\n		if (wf2q_backlogged(e))\n',
     '		if (wf2q_backlogged(e))\n'),
    ('who stands in line and changes its class stands in none',
     '	if (unlikely(e->stands))\n		wf2q_rest_anew(e);\n', ''),
    ('who is due no more is still counted so', '		t->nr_due--;\n', '		;\n'),
    ('leaves are compared as they are', '	for (; a->parent != b->parent; b = &b->parent->entity)\n'
     '		a = &a->parent->entity;\n', ''),
    ('a parked leaf goes on waiting',
     '	} else if (leaf->state == WF2Q_WAITING) {\n		wf2q_erase',
     '	} else if (0) {\n		wf2q_erase'),
    ('parking in service is forgotten',
     '	leaf->parked = true;\n	if (leaf->state == WF2Q_SERVING) {\n		leaf->changed = true;\n',
     '	leaf->parked = true;\n	if (leaf->state == WF2Q_SERVING) {\n'),
    ('a parked leaf still counts as busy',
     '		wf2q_count_backlogged(e->parent, -1);\n', ''),
    ('who comes back is not counted',
     '	leaf->held = false;\n	wf2q_count_backlogged(leaf->parent, 1);\n', '	leaf->held = false;\n'),
    ('the group of a parked leaf does not notice',
     '		wf2q_rejoin_changed(leaf, true);\n		wf2q_settle(leaf->parent, false);\n',
     '		wf2q_rejoin_changed(leaf, true);\n'),
    ('a parked leaf is woken by its requests',
     '	if (unlikely(leaf->parked)) {\n		leaf->held = true;\n		return;\n	}\n', ''),
    ('a parked leaf that sleeps comes back',
     '		leaf->held = false;\n		return;\n', '		return;\n'),
    ('a parked leaf waits for its next request', '		e->held = true;\n', ''),
    ('parking forgets a lead',
     '	} else {\n		wf2q_rest(t, e);\n	}\n}\n',
     ('	} else if (e->parked) {\n		wf2q_uncount(t, e);\n	} else {\n'
     '		wf2q_rest(t, e);\n	}\n}\n')),
    ('the group of who comes back does not notice',
     '	wf2q_join(leaf);\n	wf2q_settle(leaf->parent, false);\n}\n\n/**\n * wf2q_stand',
     '	wf2q_join(leaf);\n}\n\n/**\n * wf2q_stand'),
    ('to unpark in service starts a second wait',
     '	if (!leaf->held)	/*', '	if (!wf2q_backlogged(leaf))	/*'),
    ('a parked leaf cannot be given another budget',
     'if (leaf->state == WF2Q_SERVING || leaf->held)',
     'if (leaf->held)\n		;\n	else if (leaf->state == WF2Q_SERVING)'),
    ('an exit leaves the idle tree as it was',
     '	if (e->state == WF2Q_REMEMBERED)\n		wf2q_forget(wf2q_tree_of(e), e);\n', ''),
    ('a removed group keeps its children',
     ('			while ((child = wf2q_first_idle(&g->tree[class])))\n'
     '				wf2q_forget(&g->tree[class], child);\n'),
     '			child = NULL;\n'),
]


# Seconds of its own CPU time that a mutant may take: the engine as it is takes two.
LIMIT = 20


def caught(binary):
    """How the property test failed, or None if it passed."""
    done = subprocess.run([binary, '--failures', '1'], capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1)))
    if done.returncode == -signal.SIGXCPU:
        return 'does not end'
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f'crashes with signal {-done.returncode}'
    tests = [line.split()[5].rstrip(':') for line in done.stdout.splitlines()
             if line.startswith('not ok')]
    return 'fails ' + ' '.join(tests)


def main():
    if '--' not in sys.argv or sys.argv.index('--') < 3:
        print(__doc__)
        return 0 if sys.argv[1:] in (['-h'], ['--help']) else 2
    end = sys.argv.index('--')
    *sources, build = sys.argv[1:end]
    command = sys.argv[end + 1:]
    folder = os.path.join(build, 'mutants')     # a header beside them comes before the others
    os.makedirs(folder, exist_ok=True)
    texts = []
    for source in sources:
        with open(source, encoding='utf-8') as file:
            texts.append(file.read())
    for number, (name, old, new) in enumerate(MUTANTS, 1):
        print(f'# mutant {number} of {len(MUTANTS)}', file=sys.stderr, flush=True)
        count = sum(text.count(old) for text in texts)
        if old and count != 1:
            sys.exit(f'mutants.py: "{name}": its text stands {count} times in {", ".join(sources)}, '
                     'expected 1: bring the table up to date')
        binary = os.path.join(folder, 'mutant')
        mutants = [os.path.join(folder, os.path.basename(source)) for source in sources]
        for mutant, text in zip(mutants, texts):
            with open(mutant, 'w', encoding='utf-8') as file:
                file.write(text.replace(old, new) if old else text)
        subprocess.run([*command, '-w', '-o', binary, *(m for m in mutants if m.endswith('.c'))],
                       check=True)
        how = caught(binary)
        good = how is None if not old else how is not None
        tap.result(good, f'engine mutant: {name}: {how or "passes"}')
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
