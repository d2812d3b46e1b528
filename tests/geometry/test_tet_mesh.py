"""Tetrahedral meshes: lists that belong together, the surface, numbers by element, and files."""

import sys

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning

F = newton.Model.AttributeFrequency
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], np.float32)
TETS = [0, 1, 2, 3, 1, 2, 3, 4]


def test_surface_is_what_one_tetrahedron_has_alone():
    mesh = newton.TetMesh(POINTS, TETS)
    assert (mesh.vertex_count, mesh.tet_count, len(mesh.surface_tri_indices)) == (5, 2, 18)
    faces = {frozenset(face) for face in mesh.surface_tri_indices.reshape(-1, 3).tolist()}
    assert frozenset((1, 2, 3)) not in faces and len(faces) == 6
    first = POINTS[mesh.surface_tri_indices.reshape(-1, 3)[:3]]
    outward = np.cross(first[:, 1] - first[:, 0], first[:, 2] - first[:, 0])
    assert (np.einsum("ij,ij->i", outward, first[:, 0] - POINTS[:4].mean(axis=0)) > 0).all()
    assert mesh == newton.TetMesh(POINTS, np.reshape(TETS, (2, 4))) != newton.TetMesh(POINTS, TETS[:4])
    assert len({mesh, newton.TetMesh(POINTS, TETS)}) == 1 and mesh != "mesh"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tet_indices": TETS[:6]}, "multiple of 4"),
        ({"tet_indices": [0, 1, 2, 5]}, "index 5 leads nowhere"),
        ({"tet_indices": [0, 1, 2, -1]}, "index -1 leads nowhere"),
        ({"k_mu": [1.0, 2.0, 3.0]}, "k_mu: its length is 3, and the tet count is 2"),
        ({"custom_attributes": {"density": np.ones(5)}}, "'density': the name is reserved"),
        ({"custom_attributes": {"x": np.ones(7)}}, "cannot infer .* fits nothing: there are 5 for PARTICLE"),
        ({"tet_indices": TETS[:4], "custom_attributes": {"x": [1.0]}}, "fits TETRAHEDRON and ONCE"),
    ],
)
def test_lists_that_do_not_belong_together_are_refused(options, problem):
    with pytest.raises(ModelError, match=problem):
        newton.TetMesh(**({"vertices": POINTS, "tet_indices": TETS} | options))


def test_numbers_are_of_every_element_and_attributes_have_a_frequency():
    own = {
        "heat": np.arange(5.0),
        "part": np.array([7, 8]),
        "side": np.arange(6),
        "all": np.ones(1),
        "at": (np.ones(2), F.ONCE),
    }
    mesh = newton.TetMesh(POINTS, TETS, k_mu=3.0, k_lambda=[1.0, 2.0], custom_attributes=own)
    assert (
        mesh.k_mu.tolist() == [3.0, 3.0]
        and mesh.k_lambda.tolist() == [1.0, 2.0]
        and mesh.k_damp is mesh.density is None
    )
    found = {name: frequency for name, (_, frequency) in mesh.custom_attributes.items()}
    assert found == {"heat": F.PARTICLE, "part": F.TETRAHEDRON, "side": F.TRIANGLE, "all": F.ONCE, "at": F.ONCE}
    with pytest.warns(NewtonDeprecationWarning, match="'k_mu', 'k_lambda' positionally"):
        assert newton.TetMesh(POINTS, TETS, 1.0, 2.0).k_lambda.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="multiple values for argument 'k_mu'"), pytest.warns(NewtonDeprecationWarning):
        newton.TetMesh(POINTS, TETS, 1.0, k_mu=2.0)


def test_files_keep_all_that_a_mesh_has(tmp_path):
    own = {"heat": np.arange(5.0), "part": np.array([7, 8]), "at": (np.ones(2), F.ONCE)}
    mesh = newton.TetMesh(POINTS, TETS, k_mu=3.0, k_damp=[1.0, 2.0], density=40.0, custom_attributes=own)
    mesh.save(tmp_path / "mesh.npz")
    again = newton.TetMesh.create_from_file(tmp_path / "mesh.npz")
    assert again == mesh and again.density == 40.0 and again.k_lambda is None
    assert again.k_mu.tolist() == [3.0, 3.0] and again.k_damp.tolist() == [1.0, 2.0]
    for name, (array, frequency) in mesh.custom_attributes.items():
        assert again.custom_attributes[name][1] is frequency and np.array_equal(again.custom_attributes[name][0], array)
    with pytest.raises(FileNotFoundError):
        newton.TetMesh.create_from_file(tmp_path / "none.npz")


class Meshio:
    """What ``TetMesh`` uses of meshio; what is read is what was written last."""

    written = None

    class Cells:
        def __init__(self, type, data):
            self.type, self.data = type, np.asarray(data)

    class Mesh:
        def __init__(self, points, cells, cell_data, point_data):
            self.points, self.cells = np.asarray(points, float), [Meshio.Cells(*block) for block in cells]
            self.cell_data, self.point_data = cell_data, point_data

        def write(self, filename):
            filename.write_text("mesh")
            Meshio.written = self

    @classmethod
    def read(cls, filename):
        assert filename.read_text() == "mesh"
        return cls.written


def test_other_formats_are_meshios(tmp_path, monkeypatch):
    place = tmp_path / "mesh.vtk"
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(ModelError, match="pip install meshio"):
        newton.TetMesh(POINTS, TETS).save(place)
    monkeypatch.setitem(sys.modules, "meshio", Meshio)
    own = {"heat": np.arange(5.0), "part": np.array([7, 8]), "at": (np.ones(2), F.ONCE)}
    mesh = newton.TetMesh(POINTS, TETS, k_mu=3.0, density=40.0, custom_attributes=own)
    with pytest.warns(NewtonWarning, match="'at': .*left out"):
        mesh.save(place)
    again = newton.TetMesh.create_from_file(place)
    assert again == mesh and again.density == 40.0 and again.k_mu.tolist() == [3.0, 3.0]
    assert {n: f for n, (_, f) in again.custom_attributes.items()} == {"heat": F.PARTICLE, "part": F.TETRAHEDRON}


def test_a_soft_body_of_a_mesh_is_that_of_its_lists():
    place = {"pos": (0, 0, 1), "rot": (0, 0, 0, 1), "scale": 1.0, "vel": (0, 0, 0)}
    made = []
    mesh = newton.TetMesh(POINTS, TETS, k_mu=3e3, k_lambda=2e3, density=40.0)
    lists = {"vertices": POINTS, "indices": TETS}
    for given in (
        {"mesh": mesh},
        lists | {"density": 40.0, "k_mu": 3e3, "k_lambda": 2e3},
        {"mesh": mesh, "density": 1.0},
        lists,
    ):
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_soft_mesh(**place, **given)
        made.append((np.sum(builder.body_mass), builder.body_count))
    assert made[0] == made[1] and made[0][0] == pytest.approx(40 * (1 / 6 + 1 / 3))
    assert made[2] == made[3] and made[3][0] == pytest.approx(0.5)
    with pytest.raises(TypeError, match="expected a TetMesh, got str"):
        builder.add_soft_mesh(**place, mesh="mesh")
