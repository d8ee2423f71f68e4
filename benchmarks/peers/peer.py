"""Shared by the peers' scripts: output as one flat JSON object per line, and the spread of repeated measurements."""

import json
import sys


def emit(**fields):
    """Prints a measurement as Latimer's own benches do."""
    print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in fields.items()}), flush=True)


_failures = []


def _line(why):
    return " ".join(str(why).split())


def absent(what, why):
    """Reports a peer that is not installed and exits with 0: that is not an error."""
    print(f"peers: {what} skipped: {_line(why)}", file=sys.stderr)
    sys.exit(0)


def failed(what, why):
    """Reports a failed measurement; the others continue."""
    print(f"peers: {what} failed: {_line(why)}", file=sys.stderr)
    _failures.append(what)


def end():
    """Exits, with 1 if a measurement failed."""
    sys.exit(1 if _failures else 0)


def spread(values):
    """Median, minimum and maximum."""
    ordered = sorted(values)
    half = len(ordered) // 2
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return middle, ordered[0], ordered[-1]


def spread_fields(name, values):
    """The fields of a spread: NAME, NAME_min and NAME_max."""
    middle, least, most = spread(values)
    return {name: middle, name + "_min": least, name + "_max": most}
