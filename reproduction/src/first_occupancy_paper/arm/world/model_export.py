"""Where the arm's model came from: dm-control built it, and this module exported XML and meshes.

    python -m first_occupancy_paper.arm.world.model_export FOLDER

reproduces the files in `model/` byte for byte. It needs dm-control and the last version of MuJoCo
with which dm-control can build the arm; using the model needs neither.
"""

import re
import sys
from importlib import import_module
from pathlib import Path

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole

ORIGIN = """<!-- Kinova's Jaco arm and hand over a table with a Duplo brick: the model of the task
     reach_duplo_features, exported from dm-control. Licences: LICENSE and NOTICE, beside this. -->
"""

_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e-?\d+)?(?![\w.])")
_FINGERPRINT = re.compile(r"-[0-9a-f]{40}(?=\.stl)")


def export(folder: Path) -> None:
    """Write the model into a folder: jaco.xml and the meshes it names."""
    files = _files()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(folder / name, content)


def _files() -> dict[str, bytes]:
    """Return the content of every file of the model, as dm-control builds it."""
    try:
        tasks = import_module("dm_control.manipulation")
    except ImportError as error:
        raise InputError(
            "export: needs dm-control, which builds the model: "
            "pip install 'dm-control==1.0.50' 'mujoco==3.17.0'"
        ) from error
    environment = tasks.load("reach_duplo_features", seed=0)
    # The brick's studs get their size, which is always the same, when an episode starts.
    environment.reset()
    root = environment.task.root_entity.mjcf_model
    xml = _FINGERPRINT.sub("", root.to_xml_string())
    meshes = {_FINGERPRINT.sub("", name): data for name, data in root.get_assets().items()}
    return {"jaco.xml": (ORIGIN + _shortened(xml)).encode(), **meshes}


def _shortened(xml: str) -> str:
    """Return the XML with every number in the shortest form that has the same value."""
    return _NUMBER.sub(lambda number: repr(float(number[0])), xml)


if __name__ == "__main__":
    export(Path(sys.argv[1]))
