# SPDX-License-Identifier: GPL-2.0
"""The results of a test program, counted and printed as tests/check wants them."""

passed = failed = 0


def result(ok, what, *why):
    """One test: what it shows, and if it fails what was expected and seen."""
    global passed, failed
    print(f"{'ok' if ok else 'not ok'} {passed + failed + 1} - {what}", flush=True)
    if ok:
        passed += 1
        return
    failed += 1
    for text in why:
        for line in str(text).splitlines():
            print(f"#   {line}", flush=True)


def finish():
    """Print the sum; return the exit status."""
    print(f"1..{passed + failed}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
