"""``python -m groundrules`` is the program ``groundrules``."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    # The program handles no signals of Python's: Ctrl-C ends it, as it ends every program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.main(["groundrules", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
