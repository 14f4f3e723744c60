"""BlueZ's default agent, without display or input, which accepts every question. Prints "ready"
and runs until it is killed."""

import asyncio

from dbus_fast import BusType
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

PATH = "/tests/agent"


class Agent(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.Agent1")

    @method()
    def Release(self):
        pass

    @method()
    def RequestConfirmation(self, device: "o", passkey: "u"):  # noqa: F821
        pass

    @method()
    def RequestAuthorization(self, device: "o"):  # noqa: F821
        pass

    @method()
    def AuthorizeService(self, device: "o", uuid: "s"):  # noqa: F821
        pass

    @method()
    def Cancel(self):
        pass


async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export(PATH, Agent())
    description = await bus.introspect("org.bluez", "/org/bluez")
    manager = bus.get_proxy_object("org.bluez", "/org/bluez", description).get_interface("org.bluez.AgentManager1")
    await manager.call_register_agent(PATH, "NoInputNoOutput")
    await manager.call_request_default_agent(PATH)
    print("ready", flush=True)
    await asyncio.get_running_loop().create_future()


asyncio.run(main())
