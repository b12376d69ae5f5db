# SPDX-License-Identifier: GPL-2.0
"""The results of a test program, counted and printed as tests/check wants them."""

passed = failed = skipped = 0


def result(ok, what, *why):
    """One test: what it shows, and if it fails what was expected and seen."""
    global passed, failed
    print(f"{'ok' if ok else 'not ok'} {passed + failed + skipped + 1} - {what}", flush=True)
    if ok:
        passed += 1
        return
    failed += 1
    for text in why:
        for line in str(text).splitlines():
            print(f"#   {line}", flush=True)


def skip(what, why):
    """A test that cannot be made here, and why not. For what the caller knows by name only."""
    global skipped
    skipped += 1
    print(f"ok {passed + failed + skipped} - {what} # SKIP {why}", flush=True)


def finish():
    """Print the sum; return the exit status."""
    print(f"1..{passed + failed + skipped}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0
