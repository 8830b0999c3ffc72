"""The files that are sent to browsers: ours are plain and self-contained, the others are as they were published."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import mud.portal.web

WEB = Path(mud.portal.web.__file__).parent
STATIC, PAGES, VENDOR = WEB / "static", WEB / "pages", WEB / "static" / "vendor"
LISTED = json.loads((VENDOR / "vendor.json").read_text("utf-8"))

OURS = [path for path in sorted(STATIC.rglob("*")) if path.is_file() and VENDOR not in path.parents]


def test_every_vendored_file_has_its_version_licence_and_checksum() -> None:
    texts = {one["licence_file"] for one in LISTED.values()}
    assert {path.name for path in VENDOR.iterdir()} == {*LISTED, *texts, "vendor.json"}
    for name, one in LISTED.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == one["sha256"], name
        assert re.fullmatch(r"\d+\.\d+\.\d+", one["version"])
        assert one["licence"] in ("MIT", "OFL-1.1")
        assert "Copyright" in (VENDOR / one["licence_file"]).read_text("utf-8")


def test_pages_hold_no_script_and_no_style_of_their_own() -> None:
    for path in PAGES.glob("*.html"):
        text = path.read_text("utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text), path.name
        assert not re.search(r"<script(?![^>]*\ssrc=)[^>]*>", text), path.name


def test_our_scripts_and_sheets_ask_nobody_else_and_make_no_html_of_text() -> None:
    assert OURS
    for path in OURS:
        text = path.read_text("utf-8")
        foreign = re.sub(r"http://www\.w3\.org/2000/svg", "", text)
        assert not re.search(r"https?://(?!\$)|(?<![:\w])//[a-z]+\.[a-z]", foreign), path.name
        unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|cssText"
        assert not re.search(unsafe, text), path.name


def test_our_scripts_are_small_enough_to_read() -> None:
    assert [path.name for path in OURS if path.suffix == ".js" and path.read_text("utf-8").count("\n") > 400] == []
