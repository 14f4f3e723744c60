@_exported import BluetoothProfiles
@_exported import Harald
