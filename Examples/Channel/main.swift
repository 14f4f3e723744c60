import Harald

// Sends a message on an L2CAP channel of a device that echoes, and prints the answer.
try await withCentral { central in
    for try await found in central.scan() where found.name == "Gadget" {
        try await found.peripheral.withConnection {
            let channel = try await found.peripheral.openL2CAPChannel(psm: 0x80)
            try await channel.send(Array("hello".utf8))
            for try await message in channel.messages {
                print(String(decoding: message, as: UTF8.self))
                break
            }
            await channel.close()
        }
        break
    }
}
