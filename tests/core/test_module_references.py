"""References between Warp modules: the package's own have none; those of others keep theirs, and are unloaded with what they
call.
"""

import subprocess
import sys

import pytest

from newtonlite.core import warp_internals

CODE = """
import newtonlite, warp as wp

newtonlite.math  # lazily
import newtonlite.sim.kinematics
own = wp.get_module("newtonlite.sim.kinematics")
import linecache
text = '''
@wp.func
def turned(q: wp.quat) -> wp.vec3:
    return inner(q)
'''
linecache.cache["<others>"] = (len(text), None, text.splitlines(True), "<others>")
helper = '''
@wp.func
def inner(q: wp.quat) -> wp.vec3:
    return wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0))
'''
linecache.cache["<helper>"] = (len(helper), None, helper.splitlines(True), "<helper>")
one = dict(wp=wp, __name__="helpers")
exec(compile(helper, "<helper>", "exec"), one)
two = dict(wp=wp, __name__="others", inner=one["inner"])
exec(compile(text, "<others>", "exec"), two)
print(len(own.functions) > 0, len(own.references), [m.name for m in wp.get_module("others").references])
"""


@pytest.mark.skipif(not warp_internals.used(), reason="Warp's internals are not used")
def test_modules_of_others_keep_their_references():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True 0 ['helpers']"
