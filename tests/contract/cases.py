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


#: Two, four and eight outputs of two curves; a sweep of three levels; one value of a benchmark.
_COSTS = "benchmark,bits,outputs,curve,metric,value,unit\n" + "".join(
    f"Prove,{bits},{outputs},{curve},time,{bits * outputs}.{run},ms/op\n"
    for bits in (32, 64) for outputs in (2, 4, 8) for curve in "ab" for run in (1, 2)
)  # fmt: skip
_SWEEP = "benchmark,workers,metric,value,unit\n" + "".join(
    f"Serve,{level},throughput,{rate},op/s\n" for level, rate in ((1, 1000), (2, 1924), (4, 3444))
)
_VALUE = "benchmark,metric,value,unit,errors\n" + "Encode,time,{value},ns/op,{errors}\n" * 2


def _files(**texts: str) -> Mapping[str, str | bytes]:
    """Return tables by their names, as bytes: what they hold is no part of the name of a case."""
    return {f"{name}.csv": text.encode() for name, text in texts.items()}


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
        "report sound -o /proc/out", "report / -o out", "report sound -o out --engine nbclint",
        "report sound -o out --timeout 0", "report sound -o out --timeout inf", "report sound -o out --memory '2 s'",
        "report sound -o out --max-size=-1kB", f"report sound -o out --jobs {'9' * 40}",
        "report sound -o out --css none.css", "report sound -o out -f none.yaml",
        "compare sound other.txt --min-effect some", "compare sound other.txt --min-effect=-1%",
        "compare sound other.txt --alpha x", "compare sound other.txt --confidence-level 95",
        "compare sound other.txt -o other.txt", "compare a=sound/run.txt b=other.txt -o sound/run.txt",
        "compare sound other.txt --format benchstat-csv --fail-on any",
        "compare sound other.txt --same-code --baseline sound", "compare sound other.txt --metric ', '",
        "compare sound other.txt --control 'benchmark=Encode for '", "compare sound other.txt --where run=old",
        "compare a=sound a=other.txt", "compare sound other.txt --row ''", "compare sound other.txt --col ''",
        "compare sound other.txt --table pkg", *(f"scaling data/reference --{option}" for option in (
            "for=abc", "for=-5/s", "for=1e400/s", "for=5ms", "latency=5", "latency=abc", "'latency=5 req/s'", "at=0",
            "at=433", "improve peek", "budget 5",
        )),
        "capacity data/reference", *(f"capacity data/onix-adapter-published {options}" for options in (
            "--target 50000/s --node cores=8,cost=0.34/h --node cores=8,cost=0.30/h", "--target 50000/s --currency EUR",
            "--target 50000/s --draws many", "--target 1e30/s",
            "--target 50000/s --slo latency_p99=5ms --slo latency_mean=1ms",
            "--target 50000/s --mix discver=70,select=30",
            "--target 50000/s --slo latency_mean=0.01ms --node cores=8",
        )),
        *(f"slides data/onix-adapter-published -o out {options}" for options in (
            "-p target", "-p where=a=b --where a=b", "--notebook capacity_dekc", "-p 'x=1;import os#=2'",
            "-p mix=foo=30", "-p slo=latncy=5ms", "-p 'nodes=cores=8;cores=8'",
        )),
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
    ("compare sound empty.txt", {"empty.txt": b""}),
    ("compare sound parse.txt --where benchmark=Parse", {"parse.txt": SOUND.replace("Encode", "Parse").encode()}),
    ("compare sound.csv bytes.csv", _files(
        sound=_VALUE.format(value=10, errors=0), bytes="benchmark,metric,value,unit\nEncode,memory,5,B\n",
    )),
    ("compare failed.csv sound.csv", _files(
        failed=_VALUE.format(value=10, errors=3), sound=_VALUE.format(value=11, errors=0),
    )),
    ("compare a=failed.csv b=failing.csv", _files(
        failed=_VALUE.format(value=10, errors=3), failing=_VALUE.format(value=12, errors=1),
    )),
    *((f"effects costs.csv {options}", _files(costs=_COSTS)) for options in (
        "", "--factors bits --by bits", "--factors bits --numeric outputs", "--factors bits --terms many",
        "--factors bits --predict bits", "--factors bits --predict outputs=2",
        "--factors bits --predict 'bits=32 bits=64'", "--factors bits --where bits=32",
        "--factors bits,curve --numeric curve",
    )),
    ("effects rates.csv --factors bits", _files(rates=_COSTS.replace("time", "throughput").replace("ms/op", "op/s"))),
    *((f"scaling {name}.csv --concurrency workers {options}", _files(**{name: text})) for name, options, text in (
        ("sweep", "--law usl", _SWEEP), ("sweep", "--by benchmrk", _SWEEP), ("sweep", "--law gustafson", _SWEEP),
        ("level", "", _SWEEP.replace(",1,", ",4,").replace(",2,", ",4,")),
        ("zero", "", f"{_SWEEP}Serve,8,throughput,0,op/s\n"), ("units", "", f"{_SWEEP}Serve,8,throughput,7,MB/s\n"),
        ("word", "", f"{_SWEEP}Serve,many,throughput,7,op/s\n"),
        ("words", "", _SWEEP.replace(",1,", ",few,").replace(",2,", ",many,").replace(",4,", ",some,")),
        ("memory", "--metric memory", f"{_SWEEP}Serve,1,memory,16,B/op\n"),
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
    ("inspect comma.csv", {"comma.csv": "benchmark;time_ms\nEncode;1,234\nDecode;2,345\n"}),
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
        '[scaling]\nconcurrency = "gomaxproc"\n', '[effects]\nfactors = [\n  "goos",\n  "bits",\n]\n',
        '[describe.levels.curve]\nBN254 = "x"\n', '[effects]\nwhere = "bits=32"\n',
        '[[compare]]\ncolumn = "gomaxprocs"\nbaseline = 8\ncandidates = [4]\n',
        '[[compare]]\ncolumn = "benchmark"\nbaseline = "Encod"\n',
        '[[compare]]\ncolumn = "benchmark"\nbaseline = "Encode"\ncontrols = ["pkg=*/adapter", "pkg=*/hash"]\n',
        '[[scaling.curves]]\nmetric = "throughput"\n', '[[breakdown]]\nwhole = "Encode"\nparts = ["Decod"]\n',
        '[[breakdown]]\nwhole = "Encode"\nparts = ["Decode"]\nmetrics = ["throughput"]\n',
        '[[compare]]\nname = "new"\ncolumn = "benchmark"\nbaseline = "Decode"\n[[claims]]\ntext = "x"\nsource = "y"\n'
        'about = "ratio"\nof = "neu"\nat_most = 1\n',
        '[[claims]]\ntext = "x"\nsource = "y"\nabout = "median"\nmetric = "time"\nat_most = "1 B"\n',
        '[[claims]]\ntext = "x"\nsource = "y"\nabout = "slowest"\nwhere = "benchmark=Hash"\nat_most = "1 ms"\n',
        '[[formats]]\nname = "x"\nfiles = ["*.log"]\nkind = "lines"\npattern = "^(?P<value>1)$"\nunit = "s"\n',
    )),
]  # fmt: skip
