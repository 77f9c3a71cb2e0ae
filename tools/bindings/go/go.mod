module nap.invalid/nap

go 1.19
