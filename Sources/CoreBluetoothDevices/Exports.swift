@_exported import HaraldDevices
