"""Cloth and soft blocks of the builder are flexes with the masses, constants and places that were asked for."""

from contextlib import nullcontext

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.tolerance import assert_close, assert_same

MU, LAM = 3.0e3, 2.0e3
STILL = dict(pos=(0.0, 0.0, 1.0), rot=(0.0, 0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0))
GRID = dict(dim_x=2, dim_y=1, dim_z=3, cell_x=0.1, cell_y=0.2, cell_z=0.15, density=100.0)
CLOTH = dict(dim_x=3, dim_y=2, cell_x=0.1, cell_y=0.2, mass=0.01)


def scene() -> newton.ModelBuilder:
    """A builder that has flexes."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    return builder


def truth_of(builder):
    """MuJoCo's model of what was built."""
    text, files = write_mjcf(compile_model(builder.finalize()))
    assert 'integrator="implicitfast"' in text  # a builder's own, under which no flex is elastic
    return oracle.compile_xml(text.replace('integrator="implicitfast"', ""), files)


def strained(truth, strain: np.ndarray):
    """MuJoCo's data where points are moved by ``strain`` [3, 3] of their places, and these displacements [nv]."""
    move = (truth.body_pos[1:] @ strain.T).ravel()
    still = np.zeros((1, truth.nv))
    d = oracle.forward(truth, oracle.States(still + move, still, still, np.zeros((1, 0))))
    return d, move


def test_a_block_has_the_energy_of_lames_constants():
    """Work of the elastic forces against a further small strain is that of ``mu |E|^2 + lambda/2 tr(E)^2`` per volume."""
    builder = scene()
    builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM, particle_radius=0.01)
    truth, volume = truth_of(builder), 6 * 0.1 * 0.2 * 0.15
    assert truth.nflexelem == 30 and truth.nflexvert == 24
    assert_close(truth.body_mass[1:], np.full(24, 100.0 * 0.1 * 0.2 * 0.15), "authored")
    for strain in (np.diag([1e-4, 0.0, 0.0]), 1e-4 * np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])):
        d, move = strained(truth, strain)
        work = -d.qfrc_passive @ move
        wanted = volume * (2.0 * MU * np.sum(strain**2) + LAM * np.trace(strain) ** 2)
        assert_close([work], [wanted], "small_strain", floor=wanted)


def test_a_cloth_has_the_energy_of_its_constants_per_area():
    builder = scene()
    builder.add_cloth_grid(**STILL, **CLOTH, tri_ke=MU, tri_ka=LAM, particle_radius=0.01)
    truth, area = truth_of(builder), 6 * 0.1 * 0.2
    assert_close(truth.body_mass[1:], np.full(12, 0.01), "authored")
    for strain in (np.diag([1e-4, 0.0, 0.0]), 1e-4 * np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])):
        d, move = strained(truth, strain)
        wanted = area * (2.0 * MU * np.sum(strain**2) + LAM * np.trace(strain) ** 2)
        assert_close([-d.qfrc_passive @ move], [wanted], "small_strain", floor=wanted)


def test_meshes_share_out_their_mass_and_stand_where_they_are_put():
    builder = scene()
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    turn = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
    place = dict(pos=(1.0, 2.0, 3.0), rot=turn, scale=2.0, vel=(0.5, 0.0, -0.25))
    builder.add_soft_mesh(**place, vertices=corners, indices=[0, 1, 2, 3], density=3.0, k_mu=MU, k_lambda=LAM)
    builder.add_cloth_mesh(**place, vertices=corners[:3], indices=[0, 1, 2], density=3.0, tri_ke=MU, tri_ka=LAM)
    model = builder.finalize()
    assert_close(model.body_mass.numpy()[:4], np.full(4, 3.0 * 8.0 / 6.0 / 4.0), "authored")
    assert_close(model.body_mass.numpy()[4:], np.full(3, 3.0 * 4.0 / 2.0 / 3.0), "authored")
    assert_close(model.body_q.numpy()[1, :3], [1.0, 4.0, 3.0], "authored")
    assert_close(model.joint_qd.numpy().reshape(-1, 3), np.tile([0.5, 0.0, -0.25], (7, 1)), "authored")


def test_fixed_points_stay_and_others_fall():
    builder = scene()
    builder.gravity = (0.0, 0.0, -10.0)
    builder.add_cloth_grid(**STILL, **CLOTH, tri_ke=MU, tri_ka=LAM, fix_left=True, label="flag")
    model = builder.finalize()
    assert model.body_count == 9 and list(model.body_label[:2]) == ["flag_1", "flag_2"]
    solver, state = newton.solvers.SolverMuJoCo(model, integrator="euler"), model.state()
    for _ in range(5):
        solver.step(state, state, model.control(), None, 1e-4)
    assert solver.mj_model.flex_vertbodyid.tolist().count(0) == 3
    assert (state.body_q.numpy()[:, 2] < 1.0).all()


def test_cells_are_numbered_as_in_newton():
    """Points x first; of the first cell the tetrahedra that Newton cuts, of the second the mirrored ones."""
    builder = scene()
    builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM)
    compiled = compile_model(builder.finalize())
    found = [set(e) for e in compiled.flex_elem.reshape(-1, 4).tolist()]
    assert found[:5] == [{1, 7, 4, 0}, {6, 0, 9, 7}, {3, 9, 0, 4}, {10, 4, 7, 9}, {4, 7, 9, 0}]
    assert found[5:7] == [{1, 2, 4, 7}, {8, 7, 11, 2}] and len(found) == 30
    places = compiled.body_pos[1:]
    assert_close(places[1] - places[0], [0.1, 0.0, 0.0], "authored")
    assert_close(places[3] - places[0], [0.0, 0.2, 0.0], "authored")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(k_damp=1.0), "k_damp has no counterpart"),
        (dict(tri_ke=1.0), "tri_ke has no counterpart"),
        (dict(wind=1.0), "wind has no counterpart"),
        (dict(k_mu=0.0), "k_mu: 0"),
        (dict(k_mu=-1.0), "k_mu"),
        (dict(k_mu=np.array([1.0, 2.0])), "differs between elements"),
        (dict(dim_x=0), "cells"),
        (dict(density=0.0), "density"),
    ],
)
def test_what_no_flex_has_is_refused(change, words):
    with pytest.raises(ModelError, match=words):
        scene().add_soft_grid(**STILL, **(GRID | dict(k_mu=MU, k_lambda=LAM) | change))


def test_bending_and_stiff_areas_of_cloth_are_refused():
    for change, words in ((dict(edge_ke=1.0), "edge_ke"), (dict(tri_ka=2.0 * MU), "twice tri_ke")):
        with pytest.raises(ModelError, match=words):
            scene().add_cloth_grid(**STILL, **(CLOTH | dict(tri_ke=MU, tri_ka=LAM) | change))


def test_a_builder_learns_of_flexes_when_it_gets_one():
    """As in Newton, where nothing has to be registered before."""
    fresh, known = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0)), scene()
    for builder in (fresh, known):
        builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM)
    one, other = (compile_model(builder.finalize(device="cpu")) for builder in (fresh, known))
    assert one.nflex == 1
    assert_same(one.flex_stiffness, other.flex_stiffness)


def test_a_membrane_has_newtons_constants_where_none_are_given():
    builders = [newton.ModelBuilder() for _ in range(2)]
    for builder, given in zip(builders, ({}, dict(tri_ke=100.0, tri_ka=100.0)), strict=True):
        builder.add_cloth_grid(**STILL, **CLOTH, **given)
    one, other = (compile_model(builder.finalize(device="cpu")) for builder in builders)
    assert_same(one.flex_stiffness, other.flex_stiffness)


CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("size", [1.0, 1e-4])
def test_meshes_are_looked_at_where_that_is_asked_for(size):
    tiny = size < 1e-2
    for method, elements in (("add_soft_mesh", [0, 1, 2, 3]), ("add_cloth_mesh", [0, 1, 2])):
        points = CORNERS[: len(elements)] * size
        given = dict(**STILL, scale=1.0, vertices=points, indices=elements, density=100.0)
        with pytest.warns(newton.NewtonWarning, match="esh quality") if tiny else nullcontext() as said:
            getattr(newton.ModelBuilder(), method)(**given, validate_mesh=True)
        assert not tiny or said[0].filename == __file__
        getattr(newton.ModelBuilder(), method)(**given)


def test_what_is_no_mesh_of_tetrahedra_is_a_type_error():
    with pytest.raises(TypeError, match="expected a TetMesh, got str"):
        newton.ModelBuilder().add_soft_mesh(**STILL, scale=1.0, mesh="block")


def test_every_world_has_its_copy():
    part = scene()
    part.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM)
    whole = newton.ModelBuilder()
    whole.replicate(part, 3)
    model = whole.finalize()
    solver = newton.solvers.SolverMuJoCo(model, integrator="euler")
    assert solver.mj_model.nflex == 1 and solver.mjw_data.nworld == 3


@pytest.mark.filterwarnings("ignore:flex .soft_0. is not rigid")
def test_a_neo_hookean_block_is_mujocos():
    """Records of MuJoCo's compiler, of the same points and tetrahedra with ``elastic3d``."""
    builder = scene()
    builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM, particle_radius=0.01)
    text, _ = write_mjcf(compile_model(builder.finalize()))
    spec = oracle.mujoco.MjSpec.from_string(text.replace('integrator="implicitfast"', 'integrator="discrete"'))
    spec.flexes[0].elastic3d = 1
    builder = scene()
    builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM, particle_radius=0.01, elastic3d=1)
    made = compile_model(builder.finalize())
    assert_close(made.flex_stiffness, spec.compile().flex_stiffness, "authored")
    with pytest.raises(ModelError, match="a Neo-Hookean solid, which no attribute says"):
        write_mjcf(made)
    with pytest.raises(ModelError, match="elastic3d must be 0"):
        compile_model(newtonian(elastic3d=2))


def newtonian(**options):
    """A model of a soft block."""
    builder = scene()
    builder.add_soft_grid(**STILL, **GRID, k_mu=MU, k_lambda=LAM, **options)
    return builder.finalize()
