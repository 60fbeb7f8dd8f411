import numpy as np
import pytest
from PIL import Image

from first_occupancy.core import InputError
from first_occupancy.environments import map_images
from first_occupancy.environments.map_images import drawing_of_image

GREYS = np.array([[0, 255], [128, 100]], np.uint8)


def test_dark_pixels_are_walls(tmp_path):
    path = tmp_path / "map.png"
    Image.fromarray(GREYS).save(path)
    assert drawing_of_image(path) == ["#.", ".#"]
    assert drawing_of_image(path, threshold=0.3) == ["#.", ".."]
    assert drawing_of_image(path, threshold=0.0) == ["..", ".."]


def test_transparent_pixels_are_free(tmp_path):
    pixels = np.zeros((1, 2, 4), np.uint8)
    pixels[0, 1, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "map.png")
    assert drawing_of_image(tmp_path / "map.png") == [".#"]


def test_other_files_and_thresholds_are_refused(tmp_path):
    path = tmp_path / "map.png"
    path.write_bytes(b"no image")
    with pytest.raises(InputError) as caught:
        drawing_of_image(path)
    assert str(caught.value) == f"{path}: must be an image, but is damaged or of another kind"
    with pytest.raises(InputError) as caught:
        drawing_of_image(path, threshold=2.0)
    assert str(caught.value) == (
        "drawing_of_image: threshold must be at least 0 and at most 1, got 2.0"
    )
    with pytest.raises(FileNotFoundError):
        drawing_of_image(tmp_path / "none.png")


def test_large_and_truncated_images_are_told_apart(tmp_path, monkeypatch):
    path = tmp_path / "map.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 50), np.uint8)).save(path)
    monkeypatch.setattr(map_images, "LARGEST", 1999)
    with pytest.raises(InputError) as caught:
        drawing_of_image(path)
    assert str(caught.value) == f"{path}: must have at most 1,999 pixels, got 50 x 40"
    monkeypatch.setattr(map_images, "LARGEST", 2000)
    assert len(drawing_of_image(path)) == 40
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InputError, match=r"must be an image, but is damaged or of another kind$"):
        drawing_of_image(path)
