// Virtual devices run on a virtual radio.
@_exported import class VirtualTransport.VirtualRadio
