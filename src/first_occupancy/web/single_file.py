r"""The lab as one HTML file that opens from disk: styles, icon and scripts are inlined.

Browsers do not load modules from disk, so every module becomes a function of the modules that it
imports, and one script calls them in order. That needs no JavaScript parser because the page's
modules keep to a few forms, and `bundle` refuses others:

    import { name, other } from "./module.js";
    export const name = ...        export function name(...) ...        export class Name ...

The worker's script travels in the page, in an element that is not run, and is started from there.
The page names the hashes of its scripts and styles, and browsers run nothing else in it.
"""

import base64
import hashlib
import posixpath
import re

from first_occupancy.core.errors import InputError
from first_occupancy.web import assets

_IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "(\.[\w./-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) ([\w$]+)", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:(?!\*/).|\n)*\*/)\n", re.MULTILINE)
_OTHER = re.compile(r"^(?:import\b.*[\"'];?|export\b.*)$", re.MULTILINE)


def page() -> str:
    """Return the whole page as one HTML document."""
    files = {name: content.decode() for name, (content, _) in assets.load().items()}
    html, styles = files["index.html"], []
    for name in re.findall(r'<link rel="stylesheet" href="([\w.]+)">', html):
        styles.append(f"\n{files[name]}")
        link = f'<link rel="stylesheet" href="{name}">'
        html = html.replace(link, f"<style>{styles[-1]}</style>")
    icon = base64.b64encode(files["icon.svg"].encode()).decode()
    html = html.replace('"icon.svg"', f'"data:image/svg+xml;base64,{icon}"')
    main, worker = (f"\n{_inlined(bundle(files, name))}" for name in ("main.js", "worker.js"))
    scripts = (
        f'<script type="text/plain" id="worker-program">{worker}</script>\n'
        f'<script type="module">{main}</script>'
    )
    html = html.replace('<script type="module" src="main.js"></script>', scripts)
    allowed = assets.policy(_hash(main), " ".join(map(_hash, styles)), "blob:", images="data:")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'
    return html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')


def bundle(files: dict[str, str], entry: str) -> str:
    """Return one script that does what the module `entry` does with all that it imports."""
    parts: dict[str, str] = {}
    _add(files, entry, parts, ())
    body = "\n".join(parts.values())
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{body}\n}})();\n'


def _add(files: dict[str, str], path: str, parts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module as a function call, after those that it imports."""
    if path in above:
        raise InputError(f"bundle: modules must not import each other, but: {' -> '.join(above)}")
    if path in parts:
        return
    source, folder = _COMMENT.sub("", files[path]), posixpath.dirname(path)
    for _, relative in _IMPORT.findall(source):
        _add(files, _joined(folder, relative), parts, (*above, path))
    names = [name for _, name in _EXPORT.findall(source)]
    source = _IMPORT.sub(lambda found: _taken(found, folder), source)
    source = _EXPORT.sub(r"\1 \2", source)
    if other := _OTHER.search(source):
        raise InputError(f"bundle: {path} has a form that is not supported: {other[0]}")
    parts[path] = (
        f'modules["{path}"] = (() => {{\n{source}\nreturn {{ {", ".join(names)} }};\n}})();'
    )


def _taken(found: re.Match[str], folder: str) -> str:
    names = found[1].replace(" as ", ": ")
    return f'const {{ {names} }} = modules["{_joined(folder, found[2])}"];'


def _joined(folder: str, relative: str) -> str:
    return posixpath.normpath(posixpath.join(folder, relative))


def _hash(text: str) -> str:
    """Return an inlined script or style as a source of a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inlined(script: str) -> str:
    """Return the script so that no text in it ends its element."""
    return script.replace("</script", "<\\/script")
