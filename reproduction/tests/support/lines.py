"""Lines of the ledger by their ids."""


def by_id(found):
    """Return lines or findings by id; no two share one."""
    ids = {each.id: each for each in found}
    assert len(ids) == len(found)
    return ids
