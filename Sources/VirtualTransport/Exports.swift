// Who uses a virtual radio configures its controllers and places them on its air, and gives its adapters to a front door.
@_exported import struct Adapters.Adapter
@_exported import enum Adapters.AdapterSource
@_exported import VirtualBluetooth
