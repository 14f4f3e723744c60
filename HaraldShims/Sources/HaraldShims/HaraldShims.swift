// A target that depends on this product can import its modules: `os`, `os.log`, `os.lock` and, with the trait,
// `Combine`.
