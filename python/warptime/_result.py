"""The result of a run: the statistics, by attribute or by key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Iterator, List

if TYPE_CHECKING:
    import pandas


class Record(dict):
    """A dictionary whose keys are attributes, too: ``r["total"]["time_us"]`` is ``r.total.time_us``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            pass
        raise AttributeError(self._no_such(name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(key for key in self if key.isidentifier())})

    def _no_such(self, name: str) -> str:
        import difflib

        near = difflib.get_close_matches(name, [key for key in self if isinstance(key, str)], 1)
        return f'there is no statistic "{name}" here' + (f'; did you mean "{near[0]}"?' if near else "")


class Result:
    """What ``warptime run --stats`` writes, with the members of that file as attributes and keys.

    ``launches``, ``total``, ``timeline``, ``checks``, ``machine``, ``host`` ...: the names and units are those of
    ``warptime list statistics``. Times are microseconds (``_us``), bandwidths GB/s of 1e9 bytes.
    """

    def __init__(self, statistics: str, *, output: str = "", warnings: str = "") -> None:
        self._json = statistics
        self._record: Record | None = None
        #: What device code printed with printf.
        self.output: str = output
        #: Warnings and notes of the run, as text; empty: none.
        self.warnings: str = warnings

    def to_json(self) -> str:
        """The statistics as ``warptime run --stats`` writes them, byte for byte (``host``, the times of this host, apart)."""
        return self._json

    def to_dict(self) -> Record:
        """All of them as dictionaries and lists."""
        if self._record is None:
            self._record = json.loads(self._json, object_pairs_hook=Record)
        return self._record

    @property
    def ok(self) -> bool:
        """Whether every check of results passed."""
        return all(check["ok"] for check in self["checks"])

    def frame(self) -> "pandas.DataFrame":
        """A row for each launch; the columns are the dotted names of its statistics."""
        import pandas

        return pandas.json_normalize([dict(launch) for launch in self["launches"]])

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def __contains__(self, name: object) -> bool:
        return name in self.to_dict()

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def keys(self) -> Any:
        return self.to_dict().keys()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.to_dict(), name)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self.to_dict()})

    def _ipython_key_completions_(self) -> List[str]:
        return list(self.to_dict())

    def __repr__(self) -> str:
        total, launches = self["total"], len(self["launches"])
        time = "no timing" if total["time_us"] is None else f"{total['time_us']:,.3f} us"
        rest = "" if self["complete"] else ", not complete"
        return (f"<warptime.Result {self['target']} on {self['machine']['name']}: {launches} "
                f"launch{'' if launches == 1 else 'es'}, {time}{rest}>")
