import subprocess
import sys
import time

HEAVY = ("matplotlib", "rich", "mujoco", "ray", "gymnasium")


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    return {name.split(".")[0] for name in output.split()}


def test_import_loads_no_plotting_web_robotics_or_cluster_package():
    # `fo.plot` draws, so it loads what draws.
    names = "set(fo.__all__) - {'plot'}"
    loaded = modules_after(f"import first_occupancy as fo\nfor name in {names}: getattr(fo, name)")
    assert "jax" in loaded  # every name really was loaded
    assert not loaded & set(HEAVY)


def test_help_answers_without_starting_jax():
    command = [sys.executable, "-m", "first_occupancy", "--help"]
    begin = time.monotonic()
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert time.monotonic() - begin < 1
    assert "reproduce" in output
    assert "plan" in output
    assert "jax" not in modules_after("import first_occupancy.cli.main as m; m._parser()")
