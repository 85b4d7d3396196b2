"""A page on paper: Chromium prints it, and the text of the file is read back, glyph by glyph.

Only what Chromium writes is understood: plain objects, streams by zlib, fonts that say which characters their glyphs
are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unicodedata
import zlib
from pathlib import Path

from tests.services import missing

OBJECT = re.compile(rb"(?<![0-9])(\d+) 0 obj\b(.*?)\bendobj", re.DOTALL)
STREAM = re.compile(rb"stream\r?\n(.*)endstream", re.DOTALL)
NAMED = re.compile(rb"/(\w+) (\d+) 0 R")
DRAWN = re.compile(rb"/(\w+) [0-9.]+ Tf|<([0-9A-Fa-f]*)>")
SINGLE = re.compile(rb"<([0-9A-Fa-f]{4})> <([0-9A-Fa-f]+)>\s*\n")
RANGE = re.compile(rb"<([0-9A-Fa-f]{4})> <([0-9A-Fa-f]{4})> <([0-9A-Fa-f]+)>")


def chromium() -> str:
    """Return the program that prints; say what is not covered where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        missing("chromium", "there is no such program")
    return str(found)


def printed(page: str, folder: Path) -> str:
    """Return all text that a page has on paper, without blanks."""
    program, source, target = chromium(), folder / "page.html", folder / "page.pdf"
    source.write_text(page, encoding="utf-8")
    command = [program, "--headless", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
    command += ["--no-sandbox"] if os.geteuid() == 0 else []
    subprocess.run([*command, source.as_uri()], check=True, capture_output=True, timeout=120)
    return text_of(target.read_bytes())


def text_of(file: bytes) -> str:
    """Return the text of a file that Chromium printed, without blanks."""
    objects = {int(number): body for number, body in OBJECT.findall(file)}
    fonts = _fonts(objects)
    found = []
    for body in objects.values():
        page, is_form = re.search(rb"/Contents (\d+) 0 R", body), re.search(rb"/Subtype\s*/Form", body)
        if page is None and is_form is None:
            continue
        names = _named_fonts(body, objects)
        glyphs: dict[int, str] = {}
        for name, drawn in DRAWN.findall(_stream(body if page is None else objects[int(page[1])])):
            if name:
                glyphs = fonts.get(names.get(name, 0), {})
            found += [glyphs.get(int(drawn[at : at + 4], 16), "") for at in range(0, len(drawn), 4)]
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", "".join(found)))  # ligatures are letters


def _stream(body: bytes) -> bytes:
    found = STREAM.search(body)
    assert found is not None
    return zlib.decompressobj().decompress(found[1]) if b"FlateDecode" in body else found[1]  # knows its own end


def _named_fonts(body: bytes, objects: dict[int, bytes]) -> dict[bytes, int]:
    resources = re.search(rb"/Resources (\d+) 0 R", body)
    text = objects[int(resources[1])] if resources else body
    listed = re.search(rb"/Font\s*<<(.*?)>>", text, re.DOTALL)
    return {name: int(number) for name, number in NAMED.findall(listed[1])} if listed else {}


def _fonts(objects: dict[int, bytes]) -> dict[int, dict[int, str]]:
    found = {}
    for number, body in objects.items():
        reference = re.search(rb"/ToUnicode (\d+) 0 R", body)
        if reference is not None:
            found[number] = _characters(_stream(objects[int(reference[1])]))
    return found


def _characters(table: bytes) -> dict[int, str]:
    """Return the characters of the glyphs of a font; a ligature is several."""
    found: dict[int, str] = {}
    for section in re.findall(rb"beginbfchar\s*\n(.*?)endbfchar", table, re.DOTALL):
        for glyph, text in SINGLE.findall(section):
            found[int(glyph, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for section in re.findall(rb"beginbfrange\s*\n(.*?)endbfrange", table, re.DOTALL):
        for first, last, text in RANGE.findall(section):
            start = int(text, 16)
            found |= {glyph: chr(start + glyph - int(first, 16)) for glyph in range(int(first, 16), int(last, 16) + 1)}
    return found
