// The stored bonds, which the front doors list and forget without an adapter.
@_exported import struct HostBackend.StoredBonds
