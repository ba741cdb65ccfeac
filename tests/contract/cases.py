"""What is asked for the contract: commands with options, and bad input."""

from __future__ import annotations

from collections.abc import Mapping

LPLEX = "data/lplex/old.txt data/lplex/new.txt"

#: Commands with options, each answered as JSON.
ASKED = {
    "scaling-at": "scaling data/onix-adapter-published --at 4,32 --for 20000/s --latency 1ms",
    "scaling-extrapolated": "scaling data/http-endpoints --extrapolate 256,1000 --where source=sweep/*",
    "scaling-improved": "scaling data/http-endpoints --improve peak --budget 120 --seconds-each 5",
    "scaling-usl": "scaling data/reference --law usl --weights none --confidence-level 0.9",
    "scaling-gustafson": "scaling tests/contract/weak --law gustafson",
    "scaling-file": "scaling data/reference/raytracer.csv --concurrency concurrency --metric throughput",
    "scaling-narrowed": "scaling data/token-sdk --where executor=pool",
    "effects-predicted": "effects data/token-sdk --metric time --by benchmark,proof --where benchmark=Sender "
    "--predict 'bits=64 curve=BN254 inputs=2 outputs=4' --confidence-level 0.9",
    "effects-extrapolated": "effects data/token-sdk --metric time --where benchmark=Sender "
    "--predict 'bits=64 curve=BN254 inputs=2 outputs=40' --extrapolate",
    "effects-based": "effects data/token-sdk --metric memory --baseline 'curve=BLS12_381_BBS_GURVY bits=64' "
    "--where benchmark=Issuer",
    "effects-wide": "effects data/token-sdk --metric time --terms wide --where 'benchmark=Sender proof=csp'",
    "capacity-grown": "capacity data/onix-adapter-published --target 50000/s --slo latency_mean=1ms --headroom 30% "
    "--survive 1 --node cores=8,cost=0.34/h --growth 4%/month --from 2026-11 --currency EUR --draws 1000 --seed 7",
    "capacity-mixed": "capacity data/onix-adapter-published --target 50000/s --mix discover=70,select=30 --draws 1000",
    "capacity-bare": "capacity data/onix-adapter-published --target 50000/s --slo none --headroom none --survive none "
    "--growth none --node none --probability 0.8 --draws 1000",
    "compare-files": f"compare {LPLEX} --metric time --control pkg=*/filter --min-effect 5% --where pkg=*/filter,*/pgn",
    "compare-same-code": f"compare {LPLEX} --same-code --metric allocations,time",
    "compare-interleaved": f"compare {LPLEX} --interleaved --metric time --alpha 0.01 --confidence-level 0.99 "
    "--where benchmark=Match",
    "compare-named": "compare a=data/onix-adapter/run1.txt b=data/onix-adapter/run2.txt c=data/onix-adapter/run3.txt "
    "--metric time",
    "compare-column": "compare data/token-sdk --col executor --baseline serial --metric throughput "
    "--where benchmark=*Sender",
    "compare-rows": "compare tests/data/benchstat_cases/old.txt tests/data/benchstat_cases/new.txt --row .name,/size "
    "--ignore /io --metric time",
    "compare-gate": f"compare {LPLEX} --metric time --interleaved --where pkg=*/filter --fail-on any",
    "inspect-narrowed": "inspect data/token-sdk --where 'benchmark=Sender* bits=64'",
    "inspect-files": "inspect tests/data/wrk tests/data/hey",
}

#: What every case may read.
SOUND = (
    "goos: linux\npkg: example.org/adapter\n"
    "BenchmarkEncode-8   \t    1000\t       10.0 ns/op\t       8 B/op\t       1 allocs/op\n"
    "BenchmarkDecode-8   \t    1000\t       20.0 ns/op\t       8 B/op\t       1 allocs/op\n"
)


def _study(text: str) -> Mapping[str, str | bytes]:
    """Return the files of a study with this definition."""
    return {"bad/study.toml": text, "bad/run.txt": SOUND}


#: Commands, in a folder with a study `sound`, a recording `other.txt`, and further files.
BAD_INPUT: list[tuple[str, Mapping[str, str | bytes]]] = [
    *((asked, {}) for asked in (
        "", "inspect", "compare sound/run.txt --bogus", "compare sound sound --min-effect", "scaling",
        "report sound --bogus", "inspect sound --format yaml", "scaling sound --format yaml", "convert sound",
        "inspect soundd", "inspect ''", "scaling nowhere", "effects nowhere", "capacity nowhere",
        "compare nowhere sound", "convert nowhere -o table.csv", "report nowhere -o out", "slides nowhere -o out",
        "inspect - -", "inspect /dev/zero", "inspect sound --where Encode", "inspect sound --where benchmrk=Encode",
        "inspect sound --where \"benchmark='a\"", "convert sound -o table.csv --where benchmark=Encrypt",
        "scaling sound --where benchmark=Encrypt", "effects sound --where benchmark=Encrypt",
        "compare sound other.txt --where benchmark=Encrypt",
        "capacity sound --target 50000/s --where benchmark=Encrypt", "report sound -o out --where benchmark=Encrypt",
        "inspect sound --reader go-bnch", "convert sound -o table.xlsx", "convert sound -o no/table.csv",
        "convert sound/run.txt -o sound/run.txt", "scaling sound", "scaling sound --concurrency workers",
        "scaling sound --concurrency gomaxprocs --law amdal", "scaling sound --concurrency gomaxprocs --at many",
        "scaling sound --concurrency gomaxprocs --for fast", "scaling sound --concurrency gomaxprocs --weights heavy",
        "effects sound", "effects sound --factors bits", "effects sound --factors benchmark --metric tme",
        "effects sound --factors benchmark --confidence-level 95",
        "effects sound --factors benchmark --by run --predict bits", "capacity sound", "capacity sound --target 50000",
        "capacity sound --target 0/s", "capacity sound --target=-5/s",
        "capacity sound --target 50000/s --slo latency_p99=5",
        "capacity sound --target 50000/s --node cores=8,cost=0.34", "capacity sound --target 50000/s --draws 10",
        "capacity sound --target 50000/s --probability 95", "compare sound", "compare sound sound",
        "compare sound other.txt --metric tme", "compare sound other.txt --alpha 5",
        "compare sound other.txt --col bits", "compare sound other.txt --fail-on never",
        "compare sound other.txt --control pkg", "compare sound other.txt --row colour",
        "compare sound other.txt --baseline b", "compare sound other.txt --format yaml", "report -o out",
        "report sound --all -o out", "report --all -o out", "report sound -o sound/run.txt",
        "report sound -o out -p metrc=time", "report sound -o out -p confidence_level=high",
        "report sound -o out -p where", "report sound -o out -p confidence_level=2",
        "report sound -o out -p study=other", "report sound -o out --notebook executive_sumary",
        "report sound -o out --to docx", "report sound -o out --jobs none", "report sound -o out --timeout soon",
        "report sound -o out --memory lots", "report sound -o out --fail-on never", "slides sound -o out --to docx",
        "slides sound -o out -p targt=5/s", "report soundd -o out", "convert sound -o t.csv --where benchmark=Encrypt",
        "report sound -o out -p where=unit=sec -p where=unit=sec", "report sound -o out --reader csv -p reader=csv",
        "report sound -o out --where metric=time -p where=metric=time", "convert sound -o /proc/table.csv",
        "report sound -o out -p 'x=1;import os#=2'", "report sound -o out -p 'import os;study=2'",
        "report sound -o /proc/out", "report / -o out",
    )),
    ("inspect empty.txt", {"empty.txt": ""}),
    ("report empty.txt -o out", {"empty.txt": ""}),
    ("inspect blank.txt", {"blank.txt": "\n \n\t\n"}),
    ("inspect sound/../notes.txt", {"notes.txt": "x\n"}),
    ("convert sound -o taken.csv", {"taken.csv/keep": "x"}),
    ("report sound -o taken", {"taken": "x"}),
    ("report sound -o taken/out", {"taken": "x"}),
    ("report sound -o out --notebook bare.ipynb", {"bare.ipynb": "[]"}),
    *((f"{asked} --strict", {"mixed/run.txt": SOUND, "mixed/core": bytes(range(256))}) for asked in (
        "inspect mixed", "convert mixed -o t.csv", "report mixed -o out",
    )),
    ("inspect --strict nan.txt", {"nan.txt": SOUND + "BenchmarkZ-8 \t 10\t NaN ns/op\n"}),
    ("inspect --strict neg.csv", {"neg.csv": "benchmark,metric,value,unit\nEncode,time,-3,ns\nDecode,time,3,ns\n"}),
    ("inspect --strict unit.csv", {"unit.csv": "benchmark,metric,value,unit\nEncode,time,5,B\nDecode,time,3,ns\n"}),
    ("report nan.csv -o out", {"nan.csv": "benchmark,metric,value,unit\nEncode,time,NaN,ns\n"}),
    ("report bad -o out", _study('title = "x"\n[scaling]\nconcurency = "gomaxprocs"\n')),
    ("inspect a.out", {"a.out": bytes(range(256))}),
    ("inspect void", {"void/README.md": "nothing here"}),
    ("report notes -o out", {"notes/a.txt": "hello\n", "notes/b.log": "world\n"}),
    ("inspect --strict cut.txt", {"cut.txt": SOUND + "BenchmarkZ-8   \t 10"}),
    ("convert cut.txt -o table.csv", {"cut.txt": "goos: linux\nBenchmarkZ-8   \t 10"}),
    ("inspect cut.gz", {"cut.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b"}),
    ("inspect latin.txt", {"latin.txt": b"5 \xb5s\n"}),
    ("inspect --strict nan.csv", {"nan.csv": "benchmark,metric,value,unit\nEncode,time,NaN,ns\nDecode,time,3,ns\n"}),
    ("inspect comma.csv", {"comma.csv": "benchmark;time_ms\nEncode;1,5\nDecode;2,5\n"}),
    ("inspect twice.csv", {"twice.csv": "benchmark,benchmark,time (ns)\nEncode,Decode,3\n"}),
    ("report sound -o out --notebook broken.ipynb", {"broken.ipynb": "{"}),
    *(("inspect bad", _study(text)) for text in (
        'title = "one"\ntitle = "two"\n', "title = 7\n", 'title = "x"\n???\n', 'titel = "x"\n',
        '[scalling]\nby = ["x"]\n', 'title = "x"\n[scaling]\nconcurency = "gomaxprocs"\n',
        '[scaling]\nconcurrency = "workers"\n', "[scaling]\nweak = true\n[scaling]\nweak = false\n",
        '[scaling]\nweak = "yes"\n', '[effects]\nfactors = "bits"\n', '[effects]\nfactors = ["bits"]\n',
        '[environment]\ncores = "two"\n', '[environment]\ncores = 0\n',
        '[[targets]]\nname = "decode"\nmetric = "time"\nat_most = "8 MiB"\n', '[[targets]]\nname = "decode"\n',
        '[[targets]]\nname = "decode"\nmetric = "tme"\nat_most = "8 ns"\n',
        '[[targets]]\nname = "decode"\nmetric = "time"\nat_most = "8 ns"\nwhere = "benchmark=Encrypt"\n',
        '[capacity]\ntarget = "fast"\n', '[capacity]\nheadroom = 30\n', '[[claims]]\ntext = "it is fast"\n',
        '[[compare]]\nname = "x"\ncolumn = "bits"\n', '[[compare]]\nname = "x"\n', '[latency]\nwhere = "bits"\n',
        '[configuration]\npaths = ["cpu{n.txt"]\n', '[configuration]\npaths = ["(a+)+$"]\n',
        '[configuration]\nnames = [{template = "/{__import__(1)}", benchmarks = ["*"]}]\n',
        '[[formats]]\nname = "go-bench"\nfiles = ["*.txt"]\nkind = "lines"\npattern = "(?P<value>1)"\nunit = "s"\n',
        '[[formats]]\nname = "mine"\nfiles = ["*.txt"]\nkind = "lines"\npattern = "("\nunit = "s"\n',
    )),
]  # fmt: skip
