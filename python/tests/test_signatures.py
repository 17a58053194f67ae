# SPDX-License-Identifier: Apache-2.0
"""What editors and type checkers see: every public name is annotated, and the stub of the module
has what the module has."""

import ast
import inspect
import pathlib

import fatvec
import pytest

PUBLIC = [getattr(fatvec, name) for name in fatvec.__all__ if name != "__version__"]


def members(cls):
    """The public functions of a class, those of its properties among them."""
    for name, member in vars(cls).items():
        if not name.startswith("_") or name == "__matmul__":
            member = member.fget if isinstance(member, property) else member
            if inspect.isfunction(member):
                yield member


FUNCTIONS = [f for f in PUBLIC if inspect.isfunction(f)]
FUNCTIONS += [f for cls in PUBLIC if inspect.isclass(cls) for f in members(cls)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__qualname__)
def test_parameters_and_results_have_types(function):
    signature = inspect.signature(function)
    assert signature.return_annotation is not signature.empty
    for parameter in signature.parameters.values():
        if parameter.name != "self":
            assert parameter.annotation is not parameter.empty, parameter


def test_the_stub_is_that_of_the_module():
    package = pathlib.Path(fatvec.__file__).parent
    assert (package / "py.typed").exists()
    tree = ast.parse((package / "_core.pyi").read_text())
    stubs = {}
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            stubs[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            stubs[node.target.id] = node
    names = {n for n in vars(fatvec._core) if not n.startswith("_") or n == "__version__"}
    assert names == set(stubs)
    for name, node in stubs.items():
        if name.startswith(("Matrix_", "Plan_")):
            listed = {member.name for member in node.body} - {"__init__"}
            there = {m for m in vars(getattr(fatvec._core, name)) if not m.startswith("_")}
            assert listed == there, name
