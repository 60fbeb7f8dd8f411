import resource
import subprocess
import sys

HEAVY = ("matplotlib", "rich", "mujoco", "ray", "gymnasium")


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    return {name.split(".")[0] for name in output.split()}


def processor_seconds() -> float:
    """Return the time of ended child processes, which other work on the machine lengthens less."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_import_loads_no_plotting_web_robotics_or_cluster_package():
    # `fo.plot` loads what draws, and `fo.from_environment` what steps environments.
    names = "set(fo.__all__) - {'plot', 'from_environment'}"
    loaded = modules_after(f"import first_occupancy as fo\nfor name in {names}: getattr(fo, name)")
    assert "jax" in loaded  # every name really was loaded
    assert not loaded & set(HEAVY)


def test_help_answers_quickly():
    command = [sys.executable, "-m", "first_occupancy", "--help"]
    begin = processor_seconds()
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert processor_seconds() - begin < 1
    assert "lab" in output
    assert "plan" in output
    assert "jax" not in modules_after(
        "from first_occupancy.cli import parsing, main; parsing.command_parser()"
    )
