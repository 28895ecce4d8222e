"""What lies beside an organisation's files, and what the installation believes."""

import stat

import httpx

from tests.attacks.stage import Stage, counted


def platform_files_as_streams(stage: Stage) -> str:
    """The runner's token, logs and checkpoints as the path of a stream."""
    found = []
    for path in ("runner.json", "../runner.json", "logs", "../logs/runner.log", "/etc/passwd", "../../secret_key"):
        made = stage.stream(path, {"k": "string"})
        if made.startswith("streams/"):
            body = stage.viewer.get(f"{made}sample/").json()
            found += [path] if body["rows"] else []
            found += [f"{path} is named"] if str(stage.installation.var) in str(body) else []
    return f"read: {', '.join(found)}" if found else "nothing was read, no path of the server was named"


def files_open_to_others(stage: Stage) -> str:
    """What another user of the machine may read below the data folder, and of Redis."""
    var = stage.installation.var
    if not stat.S_IMODE(var.stat().st_mode) & 0o077:
        return "the data folder is its owner's alone"
    names = [each.name for each in var.iterdir() if stat.S_IMODE(each.stat().st_mode) & 0o044]
    return f"open: {', '.join(names)}"


def forged_addresses(stage: Stage) -> str:
    """Forty wrong passwords, each said to come from another address."""
    address = stage.installation.address.rstrip("/")
    with httpx.Client(base_url=address, timeout=60) as client:
        client.get("/_allauth/browser/v1/config")
        csrf = {"X-CSRFToken": client.cookies.get("csrftoken", "")}
        answers = [
            client.post(
                "/_allauth/browser/v1/auth/login",
                json={"email": stage.installation.email, "password": f"wrong {number}"},
                headers={**csrf, "X-Forwarded-For": f"203.0.113.{number}"},
            )
            for number in range(40)
        ]
    return counted(judged(each) for each in answers)


def judged(answered: httpx.Response) -> str:
    """What became of a password: compared with the right one, or refused by a limit of tries."""
    errors = answered.json().get("errors", []) if answered.status_code == 400 else []
    return f"{answered.status_code} {', '.join(each['code'] for each in errors)}".strip()
