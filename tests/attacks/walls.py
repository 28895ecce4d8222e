"""Access to files next to an organisation's, and forged addresses."""

import json
import stat
import subprocess
import sys

import httpx
import psutil
import redis

from tests.attacks.asking import describe
from tests.attacks.deaths import run_of_long_texts
from tests.attacks.stage import Stage, counted, manage
from tests.faults.installation.kinds import processes_of

NOBODY = 65_534
TRIES = f"""
import json, os, socket, sys
os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
for kind, place in json.loads(sys.argv[1]):
    try:
        line = socket.socket(socket.AF_UNIX if kind == "socket" else socket.AF_INET)
        line.connect(place if kind == "socket" else ("127.0.0.1", int(place)))
        line.sendall(b"DBSIZE\\r\\nSET taken 1\\r\\n")
        print(kind, line.recv(200).decode().strip())
    except OSError as error:
        print(kind, error.strerror)
"""
ADDRESS = """
from uuid import UUID
from webapp.runs.runners.redis_users import address_for
print(address_for(UUID("{}")))
"""


def platform_files_as_streams(stage: Stage) -> str:
    """Read the runner's token, logs and checkpoints as the path of a stream, after a run."""
    run_of_long_texts(stage, rows=1, steps=1)
    found = []
    for path in ("runner.json", "../runner.json", "logs", "../logs/runner.log", "/etc/passwd", "../../secret_key"):
        made = stage.stream(path, {"k": "string"})
        if made.startswith("streams/"):
            body = stage.viewer.get(f"{made}sample/").json()
            found += [path] if body["rows"] else []
            found += [f"{path} is named"] if str(stage.installation.var) in str(body) else []
    return f"read: {', '.join(found)}" if found else "nothing was read, no path of the server was named"


def files_open_to_others(stage: Stage) -> str:
    """List the parts of the data folder that another user of the machine may read."""
    var = stage.installation.var
    if not stat.S_IMODE(var.stat().st_mode) & 0o077:
        return "the data folder is its owner's alone"
    names = [each.name for each in var.iterdir() if stat.S_IMODE(each.stat().st_mode) & 0o044]
    return f"open: {', '.join(names)}"


def links_to_folders_outside(stage: Stage) -> str:
    """Read a link in mallory's folder to the platform's folder, and to that of the demo, as the path of a stream."""
    found = []
    for name, target in (("platform", stage.installation.var), ("demo", stage.numbered.writer.folder)):
        link = stage.files / f"to-{name}"
        link.symlink_to(target)
        made = stage.stream(f"to-{name}", {"id": "long"})
        answer = stage.viewer.get(f"{made}sample/").text if made.startswith("streams/") else made
        inside = [each.name for each in target.iterdir() if "." in each.name or "-" in each.name]
        found += [name] if any(each in answer for each in [*inside, str(stage.installation.var)]) else []
        link.unlink()
    return f"shown: {', '.join(found)}" if found else "no name of a file outside was shown"


def redis_as_another_user(stage: Stage) -> str:
    """Connect to Redis as another user of the machine at each address, without a password, and write."""
    server = processes_of(stage.installation.var, "Redis")[0]
    ports = {each.laddr.port for each in server.net_connections("tcp") if each.status == psutil.CONN_LISTEN}
    sockets = {each.laddr for each in server.net_connections("unix") if each.laddr}
    places = [*(["port", each] for each in ports), *(["socket", each] for each in sockets)]
    command = [sys.executable, "-I", "-c", TRIES, json.dumps(places)]  # it drops its own rights
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return ", ".join((done.stdout or done.stderr).split("\n")).strip(", ")


def redis_as_a_runner(stage: Stage) -> str:
    """Use the Redis address of mallory's runner for the keys of the demo, all keys, and the server's settings."""
    address = manage(stage.installation, "shell", "-v0", "-c", ADDRESS.format(stage.organisations["mallory"]))
    allowed = []
    with redis.Redis.from_url(address.splitlines()[-1]) as line:
        demo = f"punctual:{stage.organisations['demo']}"
        reading = (["HGETALL", f"{demo}:progress"], ["KEYS", "*"], ["CONFIG", "GET", "dir"])
        for words in (*reading, ["DEL", f"{demo}:no-such"]):
            try:
                line.execute_command(*words)
                allowed.append(words[0])
            except redis.ResponseError:
                continue
    return f"allowed: {', '.join(allowed)}" if allowed else "nothing of it is allowed"


def forged_addresses(stage: Stage) -> str:
    """Try one password for forty people, each time with another forged address."""
    address = stage.installation.address.rstrip("/")
    with httpx.Client(base_url=address, timeout=60) as client:
        client.get("/_allauth/browser/v1/config")
        csrf = {"X-CSRFToken": client.cookies.get("csrftoken") or ""}
        answers = [
            client.post(
                "/_allauth/browser/v1/auth/login",
                json={"email": f"person{number}@example.com", "password": "summer"},
                headers={**csrf, "X-Forwarded-For": f"203.0.113.{number}"},
            )
            for number in range(40)
        ]
    return counted(judged(each) for each in answers)


def judged(answered: httpx.Response) -> str:
    """Return the result of a sign-in: compared with the right password, or refused by a limit of attempts."""
    errors = answered.json().get("errors", []) if answered.status_code == 400 else []
    return f"{answered.status_code} {', '.join(each['code'] for each in errors)}".strip()


def a_token_from_a_forged_network(stage: Stage) -> str:
    """Use a token for 10.0.0.0/8 from here, with a header that claims 10.1.2.3."""
    return describe(stage.clients["elsewhere"].get("streams/", headers={"X-Forwarded-For": "10.1.2.3"}))
