"""An ant of our own on a plane, with OGBench's joints and actuators, for tests without OGBench."""

LEGS = (1, 2, 3, 4)


def leg(number):
    """Return the body of a leg; ankles bend downwards, about axes that alternate in sign."""
    x, y = {1: (0.2, 0.2), 2: (-0.2, 0.2), 3: (-0.2, -0.2), 4: (0.2, -0.2)}[number]
    bends = number in (1, 4)
    axis = "-1 1 0" if number in (1, 3) else "1 1 0"
    limits = "30 70" if bends else "-70 -30"
    return f"""
    <body>
      <geom fromto="0 0 0 {x} {y} 0"/>
      <body pos="{x} {y} 0">
        <joint name="hip_{number}" axis="0 0 1" range="-30 30"/>
        <geom fromto="0 0 0 {x} {y} 0"/>
        <body pos="{x} {y} 0">
          <joint name="ankle_{number}" axis="{axis}" range="{limits}"/>
          <geom fromto="0 0 0 {2 * x} {2 * y} 0"/>
        </body>
      </body>
    </body>"""


def write_ant(path, walls=""):
    """Write the model to a file, and return its path."""
    legs = "".join(map(leg, LEGS))
    motors = "".join(
        f'<motor joint="{joint}_{number}" gear="30" ctrllimited="true" ctrlrange="-1 1"/>'
        for number in (4, 1, 2, 3)
        for joint in ("hip", "ankle")
    )
    path.write_text(f"""<mujoco>
  <compiler angle="degree"/>
  <option timestep="0.02" integrator="Euler"/>
  <default>
    <joint type="hinge" limited="true" armature="1" damping="1"/>
    <geom type="capsule" size="0.08" density="5" conaffinity="0"/>
  </default>
  <worldbody>
    <geom type="plane" size="40 40 1" conaffinity="1"/>{walls}
    <body pos="0 0 0.75">
      <freejoint/>
      <geom type="sphere" size="0.25"/>{legs}
    </body>
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>""")
    return path


def maze_walls(maze):
    """Return the walls of a maze as boxes, as in OGBench."""
    blocks = [
        (column, row)
        for row, line in enumerate(maze.drawing)
        for column, each in enumerate(line)
        if each == "#"
    ]
    return "".join(
        f'<geom type="box" size="2 2 1" pos="{4 * column - 4} {4 * row - 4} 1" conaffinity="1"/>'
        for column, row in blocks
    )
