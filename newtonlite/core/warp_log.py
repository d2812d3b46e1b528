"""Log of Warp: kept off standard output, which belongs to the program."""

import warp as wp


def quiet() -> None:
    """Keep Warp from announcing itself and each kernel it loads; warnings stay. A level that somebody chose stays too,
    so ``wp.config.log_level = wp.LOG_INFO`` after the import brings the lines back.
    """
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_WARNING
