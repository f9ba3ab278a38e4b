"""`python -m allotment.cli` is `allotment`, of the Python that runs it."""

from allotment.cli.app import main

if __name__ == "__main__":
    main()
