"""Reads the tensors of a recurrent model from an .lmx file, as docs/formats.md describes it."""

import json
import struct

MAGIC = b"\x8cLMX\r\n\x1a\n"
HEADER = 256
ENTRY = 128


class Unsupported(Exception):
    """The file is not a model that this peer can run."""


def _sections(data):
    if data[:8] != MAGIC:
        raise Unsupported("not an index file")
    (version, count) = struct.unpack_from("<II", data, 8)
    kind = data[16:48].rstrip(b"\0").decode("ascii")
    if version != 1 or kind != "translation-model":
        raise Unsupported(f"kind {kind!r} in format version {version}, not a translation model in version 1")
    (table,) = struct.unpack_from("<Q", data, 56)
    sections = {}
    for i in range(count):
        at = table + i * ENTRY
        name = data[at : at + 96].rstrip(b"\0").decode("ascii")
        (offset, length) = struct.unpack_from("<QQ", data, at + 96)
        sections[name] = memoryview(data)[offset : offset + length]
    return sections


def read(path, array):
    """
    The settings of a plain GRU network, and its tensors, by name.

    array(buffer, type, rows, cols) makes a tensor from the numbers in a buffer; type is float16 or float32.
    """
    with open(path, "rb") as file:
        sections = _sections(file.read())
    settings = json.loads(bytes(sections["settings"]).decode("utf-8"))
    network = settings["network"]
    cells = ("forwardCell", "backwardCell", "decoderCell1", "decoderCell2")
    plain = (
        settings["architecture"] == "recurrent"
        and all(network[cell] == "GRU" for cell in cells)
        and network["encoderTransitions"] == network["decoderTransitions"] == 0
        and network["normalization"] == "NONE"
    )
    if not plain:
        raise Unsupported("this peer runs only GRU networks without transitions and layer normalization")
    tensors = {
        name: array(sections["tensor/" + name], what["type"], what["rows"], what["cols"])
        for name, what in settings["tensors"].items()
    }
    if network["sharesEmbeddings"]:
        tensors["target.embedding"] = tensors["source.embedding"]
    if network["tiesOutput"]:
        tensors["output.Wt"] = tensors["target.embedding"]
    return network, tensors
