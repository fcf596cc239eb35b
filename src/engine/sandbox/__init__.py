"""Running code that a model wrote: locked-down forks of warm interpreters, and honest verdicts.

`pool.Pool` is the face; `jobs` holds what can be asked and what comes back; `inside` is the only
part that runs in the sandboxed processes, and imports nothing but itself and the standard library.
"""
