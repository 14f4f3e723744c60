// The enumerations.
@_exported import CCoreBluetooth
// Much code that is written for Apple's systems imports CoreBluetooth and nothing else.
@_exported import CoreFoundation
@_exported import Dispatch
@_exported import Foundation

// The types with which tests and programs on Linux choose an adapter and answer pairing.
@_exported import enum Adapters.AdapterSource
@_exported import enum BluetoothBackend.PairingAnswer
@_exported import enum BluetoothBackend.PairingCapability
@_exported import enum BluetoothBackend.PairingQuestion
