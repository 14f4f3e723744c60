// `import OSLog` is the same as `import os`. The log of the system cannot be read: there is no `OSLogStore`.
@_exported import os
