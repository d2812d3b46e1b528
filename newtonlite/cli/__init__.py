"""The ``newtonlite`` command: one module per subcommand, each with ``arguments(parser)`` and ``run(args) -> exit
code``.
"""
