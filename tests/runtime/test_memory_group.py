"""The memory group of a runner: created, filled, left; on this system and with the files of version 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streaming.runtime.process.limits import dedicated_places, master_of, memory_mb
from streaming.runtime.process.memory_group import Hierarchy, own_hierarchy

ALONE = """
import os, subprocess, sys
from pathlib import Path
from streaming.runtime.process.memory_group import enter_memory_group, own_hierarchy
before = own_hierarchy().folder
try:
    group = enter_memory_group("of-a-test", 96 << 20)
except OSError as error:
    print("refused", bool(str(error)))
    sys.exit()
print("entered", own_hierarchy().folder == group.folder)
eats = "from pathlib import Path; Path('/proc/self/oom_score_adj').write_text('1000'); print(len(b'x' * (192 << 20)))"
print(subprocess.run([sys.executable, "-c", eats], stdout=subprocess.DEVNULL).returncode)
group.leave()
print(own_hierarchy().folder == before, group.folder.exists())
"""


def test_a_full_group_kills_a_child_process_and_not_the_runner() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    printed = done.stdout.split()
    assert printed in (["entered", "True", "-9", "True", "False"], ["refused", "True"]), done.stderr
    own = own_hierarchy()
    may = own is not None and own.version == 1 and os.access(own.folder, os.W_OK)
    assert (printed[0] == "entered") or not may


def process_in(tmp_path: Path, groups: str, *mounts: str) -> Path:
    folder = tmp_path / "process"
    folder.mkdir()
    (folder / "cgroup").write_text(groups)
    (folder / "mountinfo").write_text("".join(f"{each}\n" for each in mounts))
    return folder


def test_version_2_is_found_and_its_memory_limited_without_swap(tmp_path: Path) -> None:
    mounted = tmp_path / "cgroup"
    own = mounted / "made" / "up"
    own.mkdir(parents=True)
    (own / "cgroup.controllers").write_text("cpu memory\n")
    (own / "cgroup.subtree_control").write_text("\n")
    line = f"31 24 0:27 /outer {mounted} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
    found = own_hierarchy(process_in(tmp_path, "0::/outer/made/up\n", line))
    assert found == Hierarchy(own, 2)
    gone = own / "punctual-o0-999999999"
    gone.mkdir()
    group = found.enter("punctual-o1-7", 5 << 20)
    written = {each.name: each.read_text() for each in group.folder.iterdir()}
    assert written == {"memory.max": str(5 << 20), "cgroup.procs": str(os.getpid())}
    assert (own / "cgroup.subtree_control").read_text() == "+memory"
    assert not gone.exists()


def test_version_1_is_found_among_others_and_its_swap_is_counted_where_it_can_be(tmp_path: Path) -> None:
    line = "40 30 0:35 / {} rw,relatime shared:16 - cgroup cgroup rw,{}"
    mounts = [line.format(tmp_path / "cpu", "cpu"), line.format(tmp_path / "memory", "memory")]
    process = process_in(tmp_path, "5:memory:/slice\n4:cpu:/\n0::/\n", *mounts)
    assert own_hierarchy(process) == Hierarchy(tmp_path / "memory" / "slice", 1)


@pytest.mark.parametrize("groups", ["0::/\n", "4:cpu:/\n", ""])
def test_a_system_without_memory_groups_has_no_hierarchy(tmp_path: Path, groups: str) -> None:
    mount = f"31 24 0:27 / {tmp_path} rw - cgroup2 cgroup2 rw"
    assert own_hierarchy(process_in(tmp_path, groups, mount)) is None


def test_a_group_that_cannot_be_created_leaves_nothing(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(OSError, match="subtree_control"):
        Hierarchy(own, 2).enter("punctual-o1-7", 1 << 20)
    assert list(own.iterdir()) == []


def test_the_limit_of_a_runner_is_the_sum_of_its_parts() -> None:
    jvm = 2 * 2_048 + 512 + 256
    assert memory_mb(2_048, 1_024, "local[2]") == jvm + 2 * (1_024 + 200) + 512 == 7_824
    assert memory_mb(2_048, 1_024, "local[4, 3]") == jvm + 4 * (1_024 + 200) + 512


def test_a_pool_has_a_task_more_than_cores_for_its_second_carrier_and_two_for_each_core_for_dedicated_queries() -> None:
    assert [master_of(each, pooled=True) for each in ("local[2]", "local[4, 3]")] == ["local[7]", "local[13, 3]"]
    cores = os.cpu_count() or 1
    assert master_of("local[*]", pooled=True) == f"local[{cores + 1 + dedicated_places(cores)}]"
    assert [master_of(each, pooled=True) for each in ("local", "spark://a:7077")] == ["local", "spark://a:7077"]
    assert master_of("local[2]", pooled=False) == "local[2]"
