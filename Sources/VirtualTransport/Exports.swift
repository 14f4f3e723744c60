@_exported import VirtualBluetooth

// A program with a virtual radio configures its controllers, places them on its air, and gives its adapters to a front
// door.
@_exported import struct Adapters.Adapter
@_exported import enum Adapters.AdapterSource
// A test steps the clock of the air.
@_exported import class BluetoothRuntime.RadioClock
