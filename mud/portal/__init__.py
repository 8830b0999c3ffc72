"""The ways in for players. A portal reads and shows lines; the engine interprets them.

To add a way in over the network, write a module whose coroutine function `serve(portal, place, opened)` is decorated
with `@door("name")`, the name of the module. It listens at the endpoint until it is cancelled, lets people in with
`portal.enter`, hands their lines to `Session.type` and takes them out again with `portal.leave`. `config/doors.md`
needs a setting `name_host`, and `mud.command_line.DOORS` the name.
"""
