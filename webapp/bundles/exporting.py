def export():
    return {}
