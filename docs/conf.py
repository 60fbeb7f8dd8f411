"""How Sphinx builds these pages. What we added to it is in `extensions`, one file each."""

import sys
from importlib.util import find_spec
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

project = "first-occupancy"
author = "the authors of first-occupancy"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "code_links",
    "kept_results",
    "lab_page",
    "literate",
    "markdown_docstrings",
    "mathml",
    "protocols",
    "reference",
]
exclude_patterns = [
    "build",
    "extensions",
    "generated/notebooks",
    "generated/run",
    "generated/tutorial_list.md",
    "jupyter_execute",
]

myst_enable_extensions = ["dollarmath", "deflist", "fieldlist", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

nb_execution_mode = "off"  # `literate` runs the notebooks, and compares what they print
nb_merge_streams = True

# The reference is built without the large peers, so that nobody needs PyTorch to read it.
PEERS = ("gymnasium", "minari", "minigrid", "mujoco", "ray", "stable_baselines3", "torch")
autodoc_mock_imports = [name for name in PEERS if find_spec(name) is None]
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "ignore-module-all": True}
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 72
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False

html_theme = "furo"
html_title = "first-occupancy"
html_static_path = ["static"]
html_css_files = ["ours.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "native"
