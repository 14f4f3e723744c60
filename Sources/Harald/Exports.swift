@_exported import BluetoothModel

// Types that the API of Harald uses: values, the adapter with its options, and the user's answers to pairing questions.
@_exported import struct Adapters.Adapter
@_exported import struct Adapters.AdapterOptions
@_exported import struct BluetoothBackend.AdapterInfo
@_exported import struct BluetoothBackend.AttributeID
@_exported import struct BluetoothBackend.BackendCapabilities
@_exported import struct BluetoothBackend.BondedPeripheral
@_exported import struct BluetoothBackend.KnownPeripheral
@_exported import struct BluetoothBackend.LinkDiagnostics
@_exported import struct BluetoothBackend.LocalDescriptor
@_exported import enum BluetoothBackend.OwnAddress
@_exported import struct BluetoothBackend.PacketCounters
@_exported import enum BluetoothBackend.PairingAnswer
@_exported import enum BluetoothBackend.PairingCapability
@_exported import enum BluetoothBackend.PairingQuestion
@_exported import struct BluetoothBackend.SecurityPolicy
@_exported import struct BluetoothBackend.SkippedAttribute
@_exported import enum BluetoothBackend.SubscriptionKind
@_exported import struct BluetoothRuntime.AdapterClock
@_exported import struct BluetoothRuntime.RadioInstant
