"""A notebook of everything that tells an in-process shell from a kernel."""

from __future__ import annotations

CELLS = {
    "declare": 'word: str = ""',
    "printed": "import sys\nprint(word)\nprint('to stderr', file=sys.stderr)\nprint('é ∑ 𝄞', end='')",
    "value": "{'a': [1, 2.5, None]}",
    "quiet": "3;",
    "history": "print(_, Out[4], len(In), _i4)",
    "displays": (
        "from IPython.display import HTML, Image, JSON, Latex, Markdown, SVG, display\n"
        "print('before')\n"
        "display(HTML('<b>x</b>'), Markdown('*m*'), Latex('$x$'), JSON({'a': [1]}))\n"
        "print('after')\n"
        "display(Image(data=bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489'"
        "'0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082'), format='png'))"
    ),
    "raw": "display({'application/json': {'a': 1}, 'text/plain': 'one'}, raw=True, metadata={'isolated': True})",
    "handle": "handle = display('first', display_id='mine')\ndisplay('between')\nhandle.update('second')",
    "later": "handle.update(HTML('<i>third</i>'))\nprint('updated from another cell')",
    "cleared": "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('kept')",
    "cleared_wait": "print('gone too')\nclear_output(wait=True)\nprint('kept too')",
    "frame": "import pandas\npandas.DataFrame({'a': [1.5, 2], 'b': ['x', 'y']})",
    "figure": "import plotly.graph_objects as go\ngo.Figure(go.Scatter(y=[1, 2])).show()",
    "last_figure": "go.Figure(go.Bar(y=[1, 2]))",
    "timed": "%time sum(range(1000))",
    "timed_cell": "%%time\ntotal = sum(range(1000))",
    "waited": "import asyncio\nprint(await asyncio.sleep(0.01, 'awaited'))",
    "running_loop": "asyncio.get_running_loop().is_running()",
    "started": (
        "async def later():\n    await asyncio.sleep(0.01)\n    return 'done'\ntask = asyncio.create_task(later())"
    ),
    "finished": "print(await task)",
    "no_second_loop": "asyncio.run(later())",
    "shell": "!echo from the shell; echo to its stderr >&2",
    "shell_fails": "!exit 3\nprint(_exit_code)",
    "captured": "lines = !printf 'a\\nb\\n'\nlines",
    "bash": "%%bash\necho bash $((1 + 1))",
    "bash_fails": "%%bash\nexit 4",
    "in_c": "import os\n_ = os.write(1, b'by number\\n')\nimport time; time.sleep(0.3)",
    "program": "import subprocess\n_ = subprocess.run(['echo', 'by a program'])\ntime.sleep(0.3)",
    "warned": "import warnings\nwarnings.warn('careful')",
    "logged": "import logging\nlogging.getLogger('mine').warning('logged')",
    "deprecated": "warnings.warn('old', DeprecationWarning)",
    "threaded": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n    print(sorted(pool.map(abs, range(-3, 3))))"
    ),
    "failed": "def inner(x):\n    return 1 / x\n\ndef outer():\n    return inner(0)\n\nouter()",
    "chained": "try:\n    outer()\nexcept ZeroDivisionError as error:\n    raise ValueError('<b>worse</b>') from error",
    "unknown_name": "no_such_name",
    "not_python": "a = = 1",
    "no_such_magic": "%no_such_magic",
    "asked": "input('who? ')",
    "read": "print(repr(sys.stdin.read()))",
    "bad_repr": "class Bad:\n    def _repr_html_(self):\n        raise RuntimeError('in repr')\nBad()",
    "captured_cell": "%%capture kept\nprint('hidden')",
    "kept_output": "kept.show()",
    "where": "import getpass\nprint(__name__, type(get_ipython()).__name__, '' in sys.path)",
    "environment": "print(*(os.environ.get(one) for one in ('TERM', 'PAGER', 'MPLBACKEND', 'PLOTLY_RENDERER')))",
    "random": "import random, numpy\nprint(random.random() == numpy.random.random())",
    "left": "get_ipython().events.trigger\nprint('end')",
    "skipped": "raise SystemError('never')",
    "empty": "  \n",
}

RAISING = (
    "no_second_loop", "bash_fails", "failed", "chained", "unknown_name", "not_python", "asked", "no_such_magic",
    "bad_repr",
)  # fmt: skip

TAGS = {"declare": ["parameters"], "skipped": ["skip-execution"], **{name: ["raises-exception"] for name in RAISING}}
