"""What the peers' scripts share: one flat JSON object a line, and the spread of repeated measurements."""

import json
import sys


def emit(**fields):
    """Prints a measurement as Latimer's own benches do."""
    print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in fields.items()}), flush=True)


_failures = []


def _line(why):
    return " ".join(str(why).split())


def absent(what, why):
    """Names a peer that this host lacks, and ends: that is no error."""
    print(f"peers: {what} skipped: {_line(why)}", file=sys.stderr)
    sys.exit(0)


def failed(what, why):
    """Names a measurement that could not be made; the others go on."""
    print(f"peers: {what} failed: {_line(why)}", file=sys.stderr)
    _failures.append(what)


def end():
    """Ends a script, with an error where something failed."""
    sys.exit(1 if _failures else 0)


def spread(values):
    """Median, least and most."""
    ordered = sorted(values)
    half = len(ordered) // 2
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    return middle, ordered[0], ordered[-1]


def spread_fields(name, values):
    """The fields of a spread: NAME, NAME_min and NAME_max."""
    middle, least, most = spread(values)
    return {name: middle, name + "_min": least, name + "_max": most}
