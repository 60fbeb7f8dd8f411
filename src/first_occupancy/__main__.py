"""`python -m first_occupancy` and `first-occupancy` are the command line."""

import sys


def main() -> int:
    """Run one command and return its exit code; Ctrl-C is handled before anything else."""
    try:
        from first_occupancy.cli import interrupts

        interrupts.end_at_once()
        from first_occupancy.cli.main import main as run

        code = run()
        if code == interrupts.EXIT_CODE:
            interrupts.leave()
        return code
    except KeyboardInterrupt:  # pressed before it was handled
        sys.stderr.write("\nstopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
