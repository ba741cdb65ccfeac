module noise

go 1.21
