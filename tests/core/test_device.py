"""Devices by name."""

import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.device import find_device


def test_a_device_is_found_by_its_name():
    assert find_device("cpu") is wp.get_device("cpu")
    assert find_device(None) is wp.get_device()
    assert find_device(wp.get_device("cpu")).is_cpu


@pytest.mark.parametrize("name", ["cuda:77", "abacus"])
def test_one_that_is_absent_names_those_there_are(name):
    with pytest.raises(newton.DeviceError, match=f"device '{name}': there is none; there are: cpu"):
        newton.ModelBuilder().finalize(device=name)
    with pytest.raises(ValueError, match="there are: cpu"):
        find_device(name)
